#!/usr/bin/env bash
# The tests that need real servers: conformance of the server forms, and the process on
# all three of them through their faults. with.sh sets the addresses.
# usage: with.sh test.sh [SUITE...] [FLAG of go test...]
# suites: store (PostgreSQL), search (OpenSearch), graph (Neo4j), process (all three);
# none named = all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for name in SUFFICE_TEST_POSTGRES SUFFICE_TEST_OPENSEARCH SUFFICE_TEST_NEO4J; do
  [ -n "${!name:-}" ] || { echo "test.sh: $name is not set; run scripts/services/with.sh scripts/services/test.sh" >&2; exit 2; }
done
# One package at a time: a killed server must not be another test's. All run, also after
# one has failed. A suite in which nothing ran checks nothing any more, and fails.
suites=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do suites+=("$1"); shift; done
[ ${#suites[@]} -gt 0 ] || suites=(store search graph process)
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for suite in "${suites[@]}"; do
  case $suite in
    store) what=(-run 'Postgres|Shared' ./kb/store) ;;
    search) what=(./retrieval/opensearch) ;;
    graph) what=(./retrieval/graph/neo4j) ;;
    process) what=(-run Server ./internal/app) ;;
    *) echo "test.sh: no suite $suite; there are store, search, graph and process" >&2; exit 2 ;;
  esac
  go test -p 1 -count 1 -timeout 20m "$@" "${what[@]}" 2>&1 | tee "$log" || status=1
  ! grep -q 'no tests to run' "$log" || { echo "test.sh: the suite $suite holds no test" >&2; status=1; }
done
exit $status
