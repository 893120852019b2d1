#!/usr/bin/env bash
# Runs a real Neo4j 5.26 LTS Community server put together from Maven artifacts, for tests.
# Pass the address it prints to the tests as SUFFICE_TEST_NEO4J.
# usage: neo4j.sh install | up | down | kill | status | wipe
#   up: install if missing, start, wait until ready, print the address
#   down: stop cleanly; kill: SIGKILL (crash test); wipe: down and delete the data
#
# SERVICES_CACHE  jars, kept between runs                 ~/.cache/suffice-services
# NEO4J_DIR       configuration, data, logs, pid file     $TMPDIR/suffice-services/neo4j
# NEO4J_BOLT_PORT 7687    NEO4J_PASSWORD test-password (8 characters or more)
# NEO4J_JVM       flags for a small, quickly started JVM: -XX:+UseSerialGC -XX:TieredStopAtLevel=1
# NEO4J_HEAP      512m    NEO4J_PAGECACHE 64m    NEO4J_WAIT 240 (seconds)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=5.26.28
cache=${SERVICES_CACHE:-$HOME/.cache/suffice-services}
home=$cache/neo4j-$version
dir=${NEO4J_DIR:-${TMPDIR:-/tmp}/suffice-services/neo4j}
port=${NEO4J_BOLT_PORT:-7687}
password=${NEO4J_PASSWORD:-test-password}
heap=${NEO4J_HEAP:-512m}
jvm=${NEO4J_JVM--XX:+UseSerialGC -XX:TieredStopAtLevel=1}
wait_s=${NEO4J_WAIT:-240}
pidfile=$dir/neo4j.pid
java=${JAVA_HOME:+$JAVA_HOME/bin/}java # Java 17 or 21

java_args=(
  -Dfile.encoding=UTF-8 -Dio.netty.tryReflectionSetAccessible=true
  --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.util.concurrent=ALL-UNNAMED
  -cp "$home/lib/*"
)

# Resolves the jars once; a second caller waits for the first.
install() {
  mkdir -p "$cache"
  (
    flock 9
    [ ! -e "$home/.complete" ] || exit 0
    rm -rf "$home"
    MAVEN_OPTS="${MAVEN_OPTS:--Xmx512m}" mvn -B -q -f "$here/neo4j/pom.xml" \
      -Dneo4j.version="$version" -Dmaven.repo.local="$cache/m2" \
      dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$home/lib" >"$cache/neo4j-mvn.log" 2>&1 ||
      { cat "$cache/neo4j-mvn.log" >&2; exit 1; }
    touch "$home/.complete"
  ) 9>"$cache/neo4j.lock"
}

configure() {
  mkdir -p "$dir"/{conf,data,logs,run,import,plugins}
  cat >"$dir/conf/neo4j.conf" <<CONF
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:$port
server.bolt.advertised_address=127.0.0.1:$port
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
client.allow_telemetry=false
server.memory.pagecache.size=${NEO4J_PAGECACHE:-64m}
db.tx_log.preallocate=false
db.tx_log.rotation.size=32m
internal.server.bolt.thread_pool_shutdown_wait_time=1s
internal.server.bolt.connection_shutdown_wait_time=1s
CONF
}

# The command line of the process in the pid file; empty when it is gone or a zombie.
cmdline() { tr '\0' ' ' 2>/dev/null <"/proc/$(cat "$pidfile" 2>/dev/null || echo none)/cmdline"; }
running() { cmdline | grep -qF "$dir/conf"; }

# True once the server agrees on a Bolt version with us.
bolt_ready() {
  local answer
  answer=$({
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '\x60\x60\xb0\x17\x00\x04\x04\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00' >&3
    timeout 2 head -c 4 <&3 | od -An -tx1 | tr -d ' \n'
  } 2>/dev/null) || return 1
  [ -n "$answer" ] && [ "$answer" != 00000000 ]
}

up() {
  if running; then status; return; fi
  if bolt_ready; then echo "neo4j: port $port is taken" >&2; return 1; fi
  install
  configure
  # Works only before the first start; afterwards the system database holds the password.
  if [ ! -e "$dir/data/databases" ]; then
    NEO4J_HOME=$dir NEO4J_CONF=$dir/conf "$java" -Xmx128m "${java_args[@]}" \
      org.neo4j.cli.AdminTool dbms set-initial-password "$password" >"$dir/logs/set-password.log" 2>&1 ||
      { cat "$dir/logs/set-password.log" >&2; return 1; }
  fi
  setsid "$java" -Xms128m -Xmx"$heap" $jvm -XX:+ExitOnOutOfMemoryError "${java_args[@]}" \
    org.neo4j.server.CommunityEntryPoint --home-dir="$dir" --config-dir="$dir/conf" \
    >"$dir/logs/console.log" 2>&1 </dev/null &
  echo $! >"$pidfile"
  local deadline=$((SECONDS + wait_s))
  while ((SECONDS < deadline)); do
    [ -n "$(cmdline)" ] || { echo "neo4j: exited while starting" >&2; tail -n 20 "$dir"/logs/{console,neo4j}.log >&2; return 1; }
    if bolt_ready; then status; return; fi
    sleep 0.2
  done
  echo "neo4j: not ready within $wait_s s" >&2
  tail -n 20 "$dir"/logs/{console,neo4j}.log >&2
  return 1
}

stop() { # stop SIGNAL
  if running; then
    local pid deadline=$((SECONDS + 60))
    pid=$(cat "$pidfile")
    kill -s "$1" "$pid"
    while running; do
      ((SECONDS < deadline)) || kill -s KILL "$pid" 2>/dev/null || true
      sleep 0.1
    done
  fi
  rm -f "$pidfile"
}

status() {
  if running; then
    echo "bolt://127.0.0.1:$port neo4j $password pid=$(cat "$pidfile")"
  else
    echo "neo4j: not running"
    return 3
  fi
}

case ${1:-} in
  install) install ;;
  up) up ;;
  down) stop TERM ;;
  kill) stop KILL ;;
  status) status ;;
  wipe) stop TERM; rm -rf "$dir" ;;
  *) sed -n '4,6s/^# //p' "$0" >&2; exit 2 ;;
esac
