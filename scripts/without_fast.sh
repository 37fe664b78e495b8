#!/usr/bin/env bash
# Runs the tests on a copy of the tree without minitf/fast and tests/fast: nothing else may need them.
# Core and library, unless asked for others: all else stands on these. Left out: clusters, which take
# minutes of waiting, the browser, and what is marked slow.
#   scripts/without_fast.sh [pytest's arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard -- . ':!minitf/fast' ':!tests/fast' |
    tar --create --null --files-from=- | tar --extract --directory="$copy"
if [ -e .venv-oracle ]; then ln -sfn "$PWD/.venv-oracle" "$copy/.venv-oracle"; fi

cd "$copy"
export PYTHONPATH="$copy:$copy/widgets"
if [ $# = 0 ]; then
    set -- -m 'not slow and not browser' --ignore=tests/core/cluster tests/core tests/library
fi
# As in CI: what failed on a crowded machine runs once more, alone.
"$python" -m pytest -n 2 --dist worksteal -q "$@" ||
    "$python" -m pytest -q -n 0 --last-failed --last-failed-no-failures none "$@"
