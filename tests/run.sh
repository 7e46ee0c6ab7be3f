#!/usr/bin/env bash
# Installs what is needed, builds, and runs the tests. Ends with the line `N passed, N failed`.
#
#   bash tests/run.sh               everything
#   bash tests/run.sh --quick       unit, integration and tidy tests: under a minute once built
#   bash tests/run.sh --sanitize P  unit and integration tests under the preset P: asan-ubsan, tsan
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
select=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --quick) select=(--label-exclude 'fault|bench|lint'); shift ;;
    --sanitize)
      preset="${2:?--sanitize needs a preset: asan-ubsan or tsan}"
      select=(--label-regex 'unit|integration')
      shift 2
      ;;
    *)
      echo "tests/run.sh: unknown argument $1 (known: --quick, --sanitize PRESET)" >&2
      exit 2
      ;;
  esac
done

bash .ci/install.sh
echo "tests: building ($preset)"
cmake --preset "$preset" > "/tmp/retinue-configure-$$.log" 2>&1 || {
  cat "/tmp/retinue-configure-$$.log" >&2
  exit 1
}
rm -f "/tmp/retinue-configure-$$.log"
cmake --build --preset "$preset" -j 2

echo "tests: running"
results="build/$preset/test-results.xml"
rm -f "$results"
status=0
ctest --preset "$preset" -j 2 "${select[@]}" --output-junit "$PWD/$results" || status=$?
python3 - "$results" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

SHOWN_LINES = 40

suite = tree.parse(sys.argv[1]).getroot()
for test in suite.iter("testcase"):
    if test.get("status") == "fail":
        print(f"FAILED {test.get('name')}, its last lines:")
        for line in (test.findtext("system-out") or "").splitlines()[-SHOWN_LINES:]:
            print(f"  {line}")
total = int(suite.get("tests"))
failed = int(suite.get("failures"))
skipped = int(suite.get("skipped")) + int(suite.get("disabled"))
tail = f", {skipped} skipped" if skipped else ""
print(f"{total - failed - skipped} passed, {failed} failed{tail}")
if total == 0:
    sys.exit("tests: no test ran")
PYTHON
exit "$status"
