#!/usr/bin/env bash
# Runs clang-tidy over the sources of a build, two at a time, and ends with 1 if it finds anything.
#
#   bash tests/tidy/run_clang_tidy.sh                        build/release, every product source
#   bash tests/tidy/run_clang_tidy.sh BUILD_DIR [FILE.cc ...]
#
# It takes some seconds a file, so it is no part of the tests; the names are, in name_check.py.
set -euo pipefail
cd "$(dirname "$0")/../.."

build="${1:-build/release}"
shift || true
if [[ ! -f "$build/compile_commands.json" ]]; then
  echo "run_clang_tidy: no $build/compile_commands.json; build first: cmake --preset release" >&2
  exit 2
fi
if [[ $# -eq 0 ]]; then
  mapfile -t files < <(git ls-files 'protocol/*.cc' 'worker/*.cc' 'companion_sdk/*.cc')
  set -- "${files[@]}"
fi
printf '%s\n' "$@" | xargs -P 2 -n 1 clang-tidy-14 -p "$build" --quiet
