#!/usr/bin/env bash
# Starts PostgreSQL, OpenSearch and Neo4j, runs a command with their addresses in its
# environment, and stops them again, whatever the command did.
# usage: with.sh COMMAND [ARGUMENT...]
#
# The command finds SUFFICE_TEST_POSTGRES, SUFFICE_TEST_OPENSEARCH and SUFFICE_TEST_NEO4J,
# and SUFFICE_TEST_KILL=1: it may kill and start the servers by the scripts beside this
# one. They keep their data in a folder of their own that is removed at the end; the
# settings at the head of each script hold.
#
# SERVICES_DATA  folder of data and logs, kept when given   a new one below $TMPDIR
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -gt 0 ] || { sed -n '4,12s/^# //p' "$0" >&2; exit 2; }

keep=${SERVICES_DATA:-}
data=${SERVICES_DATA:-$(mktemp -d "${TMPDIR:-/tmp}/suffice-servers.XXXXXX")}
chmod 755 "$data" # PostgreSQL runs as a user of its own
export POSTGRES_DIR=$data/postgres OPENSEARCH_DIR=$data/opensearch NEO4J_DIR=$data/neo4j

# A port that nobody listens on: several of these may run on one machine.
free() {
  local port
  for port in $(shuf -i 20000-32000 -n 50); do
    if ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then echo "$port"; return; fi
  done
  echo "with.sh: no free port" >&2
  return 1
}
export POSTGRES_PORT=${POSTGRES_PORT:-$(free)} OPENSEARCH_PORT=${OPENSEARCH_PORT:-$(free)} OPENSEARCH_TRANSPORT_PORT=${OPENSEARCH_TRANSPORT_PORT:-$(free)}
export OPENSEARCH_WAIT=${OPENSEARCH_WAIT:-600} NEO4J_WAIT=${NEO4J_WAIT:-600} # they have taken 100 s on a busy machine
export NEO4J_BOLT_PORT=${NEO4J_BOLT_PORT:-$(free)} NEO4J_PASSWORD=${NEO4J_PASSWORD:-test-password}

stop() {
  local script
  for script in neo4j opensearch postgres; do
    "$here/$script.sh" kill >/dev/null 2>&1 || true
  done
  if [ -z "$keep" ]; then rm -rf "$data"; fi
}
trap stop EXIT
trap 'exit 130' INT TERM

start() { # start SCRIPT: its address is the first word of the last line
  local out
  if ! out=$("$here/$1" up); then
    echo "with.sh: $1 did not start; what it said stands above" >&2
    return 1
  fi
  printf '%s\n' "$out" | tail -n 1 | cut -d ' ' -f 1
}

begun=$SECONDS
SUFFICE_TEST_POSTGRES=$(start postgres.sh)
SUFFICE_TEST_OPENSEARCH=$(start opensearch.sh)
SUFFICE_TEST_NEO4J=$(start neo4j.sh)
SUFFICE_TEST_NEO4J=${SUFFICE_TEST_NEO4J/:\/\//:\/\/neo4j:$NEO4J_PASSWORD@}
export SUFFICE_TEST_POSTGRES SUFFICE_TEST_OPENSEARCH SUFFICE_TEST_NEO4J SUFFICE_TEST_KILL=1
echo "servers are up after $((SECONDS - begun)) s"
"$@"
