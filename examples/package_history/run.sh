#!/usr/bin/env bash
# Runs the example over this machine's /var/log/dpkg.log, or over the small copy beside this script
# where there is none, and shows the packages that changed most. Needs a build:
# bash examples/quickstart.sh. An argument is a folder to work in, which it empties.
set -euo pipefail
cd "$(dirname "$0")"
repository="$(cd ../.. && pwd)"
build="${RETINUE_BINARY_DIR:-$repository/build/release}"
work="${1:-$repository/build/package_history}"

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
echo "== the five packages of $log that changed most, as they stand"
# awk, unlike head, reads to the end: sort is not cut off.
sed 's/^{"package":"\([^"]*\)".*/\1/' "$work/changes.jsonl" | LC_ALL=C sort | uniq -c |
  sort -k1,1nr -k2 | awk 'NR <= 5 { print $2 }' |
  while read -r package; do
    "$build/bin/retinue" states read --data-dir "$work/data" --computation history \
      --key "$package"
  done
