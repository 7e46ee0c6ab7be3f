#!/usr/bin/env bash
# Installs what building and testing Retinue needs, from Debian 12's packages. Idempotent: does
# nothing when everything is there. Both commands of the README and CI call it.
set -euo pipefail

packages=(
  # tools
  g++ cmake ninja-build pkg-config git python3 ccache mold
  clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev
  # libraries
  capnproto libcapnp-dev libuv1-dev librocksdb-dev libsimdjson-dev rapidjson-dev libfarmhash-dev
  libzstd-dev zlib1g-dev libfmt-dev libspdlog-dev libcli11-dev
  # tests
  libgtest-dev libgmock-dev libbenchmark-dev
)

missing=()
for package in "${packages[@]}"; do
  if [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
    missing+=("$package")
  fi
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "install: everything is there"
  exit 0
fi

echo "install: ${missing[*]}"
as_root=()
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo > /dev/null; then
    echo "install: neither root nor sudo; install by hand: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  "${missing[@]}" > /dev/null
echo "install: done"
