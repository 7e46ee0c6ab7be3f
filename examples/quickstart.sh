#!/usr/bin/env bash
# Counts the words of a real text with Retinue, kills the worker half-way with kill -9, runs it
# again, and checks the result against sort and uniq. Installs and builds what is needed first.
#
# The text is the licences that every Debian machine carries, copied 80 times so that the job is
# long enough to be killed. Everything is made under build/quickstart.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "== install and build"
bash .ci/install.sh
cmake --preset release > /dev/null
cmake --build --preset release -j 2 --target retinue word_count

retinue="$PWD/build/release/bin/retinue"
work="$PWD/build/quickstart"
rm -rf "$work"
mkdir -p "$work/text"
for copy in $(seq -w 1 80); do
  cat /usr/share/common-licenses/* > "$work/text/$copy.txt"
done
sed "s|/usr/share/common-licenses/\*|$work/text/*.txt|; s|../../build/|$PWD/build/|" \
  examples/word_count/pipeline.json > "$work/pipeline.json"
data="$work/data"
input_bytes="$(cat "$work"/text/*.txt | wc -c)"
echo "== count the words of $((input_bytes / 1000000)) MB of text: retinue run $work/pipeline.json"

"$retinue" run "$work/pipeline.json" --data-dir "$data" &
worker=$!
trap 'kill "$worker" 2> /dev/null || true' EXIT
# The count of a common word tells how far it has come.
lines="$(cat "$work"/text/*.txt | wc -l)"
total() {
  "$retinue" states read --data-dir "$data" --computation count --key the --json 2> /dev/null |
    sed -n 's/.*"count":\([0-9]*\).*/\1/p'
}
expected_the="$(cat "$work"/text/*.txt | tr -cs A-Za-z '\n' | tr A-Z a-z | grep -cx the)"
killed=no
while kill -0 "$worker" 2> /dev/null; do
  seen="$(total || true)"
  if [[ "${seen:-0}" -ge $((expected_the / 4)) ]]; then
    kill -9 "$worker" 2> /dev/null || break
    killed=yes
    [[ ! -t 2 ]] || echo >&2 # ends the progress line that it left
    echo "== kill -9 of the worker, with \"the\" counted $seen times of $expected_the"
    break
  fi
done
wait "$worker" 2> /dev/null || true
if [[ $killed == no ]]; then
  echo "== the worker was done before it could be killed half-way"
fi

echo "== run it again: it continues from the last committed epoch"
"$retinue" run "$work/pipeline.json" --data-dir "$data"

echo "== the ten most frequent words of $lines lines"
"$retinue" states read --data-dir "$data" --computation count --limit 0 --json |
  sed 's/.*"word":"\([^"]*\)".*"count":\([0-9]*\).*/\2 \1/' | LC_ALL=C sort > "$work/counts.txt"
sort -rn "$work/counts.txt" | sed -n '1,10p' | awk '{printf "%9d  %s\n", $1, $2}'

cat "$work"/text/*.txt | tr -cs A-Za-z '\n' | tr A-Z a-z | grep . | LC_ALL=C sort | uniq -c |
  awk '{print $1, $2}' | LC_ALL=C sort > "$work/expected.txt"
if cmp -s "$work/counts.txt" "$work/expected.txt"; then
  words="$(wc -l < "$work/counts.txt")"
  echo "== every one of $words counts is what sort | uniq -c gives: nothing lost, nothing doubled"
else
  echo "== the counts differ from sort | uniq -c:" >&2
  diff "$work/counts.txt" "$work/expected.txt" | head >&2
  exit 1
fi
