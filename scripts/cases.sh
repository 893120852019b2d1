#!/usr/bin/env bash
# Runs the behaviour cases of the plan and our own (testdata/cases) against a binary and
# prints one line a topic: passed of all, and of the two halves. A case whose name has an
# even first byte of SHA-256 may be looked at while working (dev), the others are held out.
# usage: cases.sh BINARY [SHARED] [FOLDER]
#   SHARED  folder that holds cases/run and cases/*.yaml (../shared)
#   FOLDER  where the complaints of each topic are written (.ci/out/cases)
# Cases that fail do not fail the script; a runner that crashes does (exit 1).
# Without the folder, which holds the runner too, it says so and exits 0. Needs Python 3;
# PyYAML is put into .ci/venv where the system's Python lacks it.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${1:?usage: cases.sh BINARY [SHARED] [FOLDER]}
shared=${2:-../shared}
out=${3:-.ci/out/cases}

if [ ! -e "$shared/cases/run" ]; then
  echo "cases: skipped, $shared/cases is not there (set SUFFICE_SHARED)"
  exit 0
fi

python=python3
if ! "$python" -c 'import yaml' 2>/dev/null; then
  python=.ci/venv/bin/python
  [ -x "$python" ] || python3 -m venv .ci/venv
  "$python" -c 'import yaml' 2>/dev/null || "$python" -m pip install -q --disable-pip-version-check pyyaml==6.0.3
fi

binary=$(realpath "$binary")
crashed=0
halves() { # halves FILE LOG: "passed of all" of the dev and of the held-out half
  "$python" - "$1" "$2" <<'END'
import hashlib, re, sys, yaml
failed = set(re.findall(r"^FAIL (\S+):", open(sys.argv[2], encoding="utf-8").read(), re.M))
passed, every = [0, 0], [0, 0]
for case in yaml.safe_load(open(sys.argv[1], encoding="utf-8")):
    half = hashlib.sha256(case["name"].encode()).digest()[0] % 2
    every[half] += 1
    passed[half] += case["name"] not in failed
print(f"dev {passed[0]:3} of {every[0]:3}, held out {passed[1]:3} of {every[1]:3}")
END
}
run() { # run NAME FOLDER-OF-CASES
  local set=$1 from=$2 passed=0 failed=0 topic log last file
  mkdir -p "$out/$set"
  for file in "$from"/*.yaml; do
    topic=$(basename "$file" .yaml)
    log=$out/$set/$topic.txt
    # A Python that falls over exits 1 just as failing cases do, so the last line decides.
    timeout 900 "$python" "$shared/cases/run" --suffice "$binary" "$file" >"$log" 2>&1 || true
    last=$(tail -n 1 "$log")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
      printf '%-6s %-16s %4d passed %4d failed  (%s)\n' "$set" "$topic" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$(halves "$file" "$log")"
      passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else
      printf '%-6s %-16s the runner did not finish:\n' "$set" "$topic"
      tail -n 5 "$log" | sed 's/^/    /'
      crashed=1
    fi
  done
  printf '%-6s %-16s %4d passed %4d failed (complaints: %s)\n' "$set" total "$passed" "$failed" "$out/$set"
}
run plan "$shared/cases"
run own testdata/cases
exit "$crashed"
