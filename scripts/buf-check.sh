#!/bin/sh
# Checks the contract: lint, format, that the committed Go is what the .proto files
# give, and that nothing breaks against the version before.
#
# usage: scripts/buf-check.sh [GIT-REF]
# GIT-REF is what to compare with; without it origin/main, else main, else, when HEAD
# is that commit itself, the commit before it.
set -eu
cd "$(dirname "$0")/.."
buf() { go tool -modfile=tools/go.mod buf "$@"; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

buf lint
buf format --diff --exit-code

buf generate --output "$tmp/generated"
stale=0
for file in $(cd "$tmp/generated/proto" && find . -name '*.go') ; do
  cmp -s "$tmp/generated/proto/$file" "proto/$file" || { echo "proto/$file is not what the .proto files give: run make generate" >&2; stale=1; }
done
for file in $(cd proto && find . -name '*.pb.go') ; do
  [ -e "$tmp/generated/proto/$file" ] || { echo "proto/$file belongs to no .proto file: delete it" >&2; stale=1; }
done
[ "$stale" = 0 ]

ref=${1:-}
if [ -z "$ref" ]; then
  for candidate in origin/main main; do
    if git rev-parse --verify --quiet "$candidate^{commit}" >/dev/null; then ref=$candidate; break; fi
  done
  if [ -n "$ref" ] && [ "$(git rev-parse "$ref^{commit}")" = "$(git rev-parse HEAD)" ]; then ref=HEAD^; fi
fi
if [ -n "$ref" ] && git cat-file -e "$ref:buf.yaml" 2>/dev/null; then
  mkdir "$tmp/before"
  git archive "$ref" buf.yaml proto | tar -x -C "$tmp/before"
  buf breaking --against "$tmp/before"
  echo "buf: lint, format, generated Go and breaking (against $ref) are clean"
else
  echo "buf: lint, format and generated Go are clean; no earlier version to compare with"
fi
