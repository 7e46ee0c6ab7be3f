#!/usr/bin/env bash
# Runs the example over this machine's /var/log/dpkg.log, or over the small copy beside this script
# where there is none, and shows the packages that changed most. Needs a build:
# bash examples/quickstart.sh.
set -euo pipefail
cd "$(dirname "$0")"
build="${RETINUE_BINARY_DIR:-$PWD/../../build/release}"
work="${1:-$PWD/../../build/package_history}"

log=/var/log/dpkg.log
if [[ ! -s "$log" ]]; then
  log="$PWD/sample-dpkg.log"
fi
rm -rf "$work"
mkdir -p "$work"
sed "s|\"dpkg.log\"|\"$log\"|; s|\.\./\.\./build/release|$build|" pipeline.json \
  > "$work/pipeline.json"
"$build/bin/retinue" run "$work/pipeline.json" --data-dir "$work/data"
echo "== the last of $(wc -l < "$work/changes.jsonl") changes in $work/changes.jsonl"
tail -n 3 "$work/changes.jsonl"
echo "== five packages of $log as they stand"
"$build/bin/retinue" states read --data-dir "$work/data" --computation history --limit 5 \
  2> /dev/null
