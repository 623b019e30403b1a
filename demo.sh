#!/bin/sh
# The whole road in half a minute: prepare the sample corpus, replay it against the built-in server,
# analyse the log, name what was written. Uses only bin/ and testdata/.
set -eu
cd "$(dirname "$0")"
out=demo
rm -rf "$out"
mkdir -p "$out"
step() { printf '\n== %s\n' "$*"; }

step "agentx-prep: recorded sessions -> bundle"
bin/agentx-prep build --input-file testdata/corpus -o "$out/sample.bundle"

step "agentx-run mock-server: an OpenAI-compatible server to replay against"
bin/agentx-run mock-server --port 0 --address-file "$out/server.url" --bundle "$out/sample.bundle" --quiet &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT INT TERM
tries=0
until [ -s "$out/server.url" ]; do
  tries=$((tries + 1))
  if [ $tries -gt 100 ]; then echo "the mock server did not start" >&2; exit 1; fi
  sleep 0.1
done

step "agentx-run: bundle + server -> event log"
bin/agentx-run --bundle "$out/sample.bundle" --url "$(cat "$out/server.url")" --model mock \
  --concurrency 4 --benchmark-duration 25 --random-seed 42 --cache-bust first_turn_prefix \
  --system-idle-gap-cap-seconds 2 --trace-idle-gap-cap-seconds 2 --artifact-dir "$out/run"

step "agentx-analyze: event log -> pages, checks"
bin/agentx-analyze verify --bundle "$out/sample.bundle" "$out/run"
bin/agentx-analyze swim-lane "$out/run"
bin/agentx-analyze turn-messages --bundle "$out/sample.bundle" "$out/run"

step "what was written"
for file in "$out"/run/*; do printf '  %s\n' "$file"; done
printf '\nOpen %s and %s in a browser.\n' "$out/run/swim_lane.html" "$out/run/turn_messages.html"
