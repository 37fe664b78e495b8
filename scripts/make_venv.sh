#!/usr/bin/env bash
# Makes a virtual environment: make_venv.sh PYTHON FOLDER
# Says in one sentence what is missing when it cannot.
set -euo pipefail
python=$1
folder=$2

version=$("$python" -c 'import platform; print(platform.python_version())' 2>/dev/null) || version=
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "minitf needs Python 3.11 or newer, and '$python' is ${version:-not there};" \
        "name another: PYTHON=python3.12." >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "'$python' cannot make virtual environments because its ensurepip module is missing;" \
        "on Debian and Ubuntu: apt-get install python3-venv." >&2
    exit 1
fi

echo "Making $folder with Python $version."
"$python" -m venv "$folder"
