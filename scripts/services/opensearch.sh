#!/usr/bin/env bash
# Runs a real single-node OpenSearch 2.19 with k-NN (lucene engine), put together from Maven
# artifacts, for tests. Pass the address it prints to the tests as SUFFICE_TEST_OPENSEARCH.
# usage: opensearch.sh install | up | down | kill | status | wipe
#   up: install if missing, start, wait until ready, print the address
#   down: stop cleanly; kill: SIGKILL (crash test); wipe: down and delete the data
#
# SERVICES_CACHE   jars, kept between runs                ~/.cache/suffice-services
# OPENSEARCH_DIR   configuration, data, logs, pid file    $TMPDIR/suffice-services/opensearch
# OPENSEARCH_PORT  9201    OPENSEARCH_TRANSPORT_PORT 9301
# OPENSEARCH_JVM   flags for a small, quickly started JVM: -XX:+UseSerialGC -XX:TieredStopAtLevel=1
# OPENSEARCH_HEAP  512m    OPENSEARCH_WAIT 240 (seconds)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=2.19.6
cache=${SERVICES_CACHE:-$HOME/.cache/suffice-services}
home=$cache/opensearch-$version
dir=${OPENSEARCH_DIR:-${TMPDIR:-/tmp}/suffice-services/opensearch}
port=${OPENSEARCH_PORT:-9201}
heap=${OPENSEARCH_HEAP:-512m}
jvm=${OPENSEARCH_JVM--XX:+UseSerialGC -XX:TieredStopAtLevel=1}
wait_s=${OPENSEARCH_WAIT:-240}
pidfile=$dir/opensearch.pid
bin=${JAVA_HOME:+$JAVA_HOME/bin/} # a JDK 17 or 21
url=http://127.0.0.1:$port

# plugin FOLDER NAME CLASS EXTENDS: the descriptor that a distribution would carry
plugin() {
  mkdir -p "$1/$2"
  printf '%s\n' "name=$2" "description=$2" "version=$version" "opensearch.version=$version" \
    java.version=11 "classname=$3" "extended.plugins=$4" has.native.controller=false \
    >"$1/$2/plugin-descriptor.properties"
}

# Resolves the jars once; a second caller waits for the first.
install() {
  mkdir -p "$cache"
  (
    flock 9
    # Rebuilt when the version or one of the sources has changed.
    stamp=$(cat "$here"/opensearch/{pom.xml,src/local/*.java} "${BASH_SOURCE[0]}" | sha256sum)
    [ "$(cat "$home/.complete" 2>/dev/null)" != "$stamp" ] || exit 0
    rm -rf "$home"
    lib=$home/lib modules=$home/modules plugins=$home/plugins
    MAVEN_OPTS="${MAVEN_OPTS:--Xmx512m}" mvn -B -q -f "$here/opensearch/pom.xml" \
      -Dopensearch.version="$version" -Dmaven.repo.local="$cache/m2" \
      dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$lib" >"$cache/opensearch-mvn.log" 2>&1 ||
      { cat "$cache/opensearch-mvn.log" >&2; exit 1; }

    # No class may lie both in lib/ and in a plugin's folder ("jar hell").
    plugin "$modules" transport-netty4 org.opensearch.transport.Netty4Plugin ""
    mv "$lib"/{transport-netty4-client,netty}-*.jar "$modules/transport-netty4/"
    plugin "$modules" lang-painless org.opensearch.painless.PainlessPlugin ""
    mv "$lib"/{lang-painless,opensearch-scripting-painless-spi,antlr4-runtime,asm}-*.jar "$modules/lang-painless/"
    plugin "$modules" analysis-common org.opensearch.analysis.common.CommonAnalysisPlugin lang-painless
    mv "$lib"/analysis-common-*.jar "$modules/analysis-common/"
    plugin "$modules" reindex org.opensearch.index.reindex.ReindexPlugin ""
    mv "$lib"/{reindex-client,opensearch-rest-client,opensearch-ssl-config,http,commons-codec,commons-logging}*.jar "$modules/reindex/"

    mkdir -p "$plugins/opensearch-knn"
    (cd "$plugins/opensearch-knn" && "${bin}jar" xf "$lib"/opensearch-knn-*.zip)
    rm "$lib"/opensearch-knn-*.zip
    plugin "$plugins" analysis-smartcn local.SmartcnPlugin ""
    mv "$lib"/lucene-analysis-smartcn-*.jar "$plugins/analysis-smartcn/"

    classes=$home/classes
    "${bin}javac" --release 17 -d "$classes" -cp "$lib/*:$plugins/analysis-smartcn/*" "$here"/opensearch/src/local/*.java
    (cd "$classes" && "${bin}jar" cf "$plugins/analysis-smartcn/local-smartcn.jar" local/SmartcnPlugin*.class &&
      "${bin}jar" cf "$lib/local-launch.jar" local/Launch*.class)
    rm -rf "$classes"
    echo "$stamp" >"$home/.complete"
  ) 9>"$cache/opensearch.lock"
}

configure() {
  mkdir -p "$dir"/{config,data,logs,tmp}
  cat >"$dir/config/opensearch.yml" <<CONF
cluster.name: test
node.name: node-1
path.data: $dir/data
path.logs: $dir/logs
network.host: 127.0.0.1
http.port: $port
transport.port: ${OPENSEARCH_TRANSPORT_PORT:-9301}
discovery.type: single-node
# a nearly full disk must not make indexes read-only
cluster.routing.allocation.disk.threshold_enabled: false
# no native libraries here: only engine "lucene" works
knn.plugin.enabled: true
CONF
  cat >"$dir/config/log4j2.properties" <<'CONF'
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
logger.node.name = org.opensearch.node
logger.node.level = info
CONF
}

# The command line of the process in the pid file; empty when it is gone or a zombie.
cmdline() { tr '\0' ' ' 2>/dev/null <"/proc/$(cat "$pidfile" 2>/dev/null || echo none)/cmdline"; }
running() { cmdline | grep -qF "$dir/conf"; }

ready() {
  curl -fsS --noproxy '*' -m 5 "$url/_cluster/health?wait_for_status=yellow&timeout=2s" >/dev/null 2>&1
}

up() {
  if running; then status; return; fi
  if ready; then echo "opensearch: port $port is taken" >&2; return 1; fi
  install
  configure
  setsid "${bin}java" -Xms128m -Xmx"$heap" $jvm -XX:+ExitOnOutOfMemoryError \
    -Djava.io.tmpdir="$dir/tmp" -Dfile.encoding=UTF-8 -Djava.locale.providers=SPI,COMPAT \
    -Dlog4j.shutdownHookEnabled=false -Dlog4j2.disable.jmx=true -Dlog4j2.formatMsgNoLookups=true \
    -Dio.netty.noUnsafe=true -Dio.netty.noKeySetOptimization=true -Dio.netty.recycler.maxCapacityPerThread=0 \
    --add-opens=java.base/java.io=ALL-UNNAMED \
    -cp "$home/lib/*" local.Launch "$home" "$dir/config" \
    >"$dir/logs/console.log" 2>&1 </dev/null &
  echo $! >"$pidfile"
  local deadline=$((SECONDS + wait_s))
  while ((SECONDS < deadline)); do
    [ -n "$(cmdline)" ] || { echo "opensearch: exited while starting" >&2; tail -n 40 "$dir/logs/console.log" >&2; return 1; }
    if ready; then status; return; fi
    sleep 0.2
  done
  echo "opensearch: not ready within $wait_s s" >&2
  tail -n 40 "$dir/logs/console.log" >&2
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
    echo "$url pid=$(cat "$pidfile")"
  else
    echo "opensearch: not running"
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
