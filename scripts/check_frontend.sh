#!/usr/bin/env bash
# Checks the widgets' TypeScript, runs its tests, and rebuilds the committed bundles.
# A bundle that differs from its sources is rebuilt in place, and the check fails.
set -euo pipefail
cd "$(dirname "$0")/../widgets"
static=minitf_widgets/static

if ! command -v npm >/dev/null || ! node -e 'process.exit(+(parseInt(process.versions.node) < 20))'; then
    echo "The front end was not checked: that needs Node.js 20 or newer, with npm."
    exit 0
fi

stamp=node_modules/.ready
if [ ! -e "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
    echo "Installing what the front end's check needs into widgets/node_modules."
    npm ci --silent --no-audit --no-fund
    touch "$stamp"
fi
npm run --silent check

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R "$static/." "$before"
npm run --silent build
if ! diff -rq "$before" "$static"; then
    echo "The bundles in widgets/$static were older than their sources;" \
        "they have been rebuilt: commit them." >&2
    exit 1
fi
