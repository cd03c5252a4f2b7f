#!/usr/bin/env bash
# Makes .venv with Python 3.11 and runs parlai_spotbot.installation in it, which installs all that the project needs;
# `make install` calls it, `make demo` with --demo. What is done isn't done again, and an interrupted installation goes on
# where it stopped. R=no leaves R out, CHROMIUM=no the browser; both are remembered until it is R=yes, CHROMIUM=yes.
set -euo pipefail
cd "$(dirname "$0")/.."

named_python=${PYTHON:-}
PYTHON=${PYTHON:-python3.11}
venv=.venv
here=$venv/.installed/venv # the folder that the environment was made in: it names it in its scripts

say() { echo "install: $*"; }
die() { echo "install: $*" >&2; exit 1; }

python_works() { "$PYTHON" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; }
need_python() {
    python_works && return
    if [ -z "$named_python" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "Debian packages python3.11 python3.11-venv"
        export DEBIAN_FRONTEND=noninteractive
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv; } \
            >/dev/null 2>&1 || true
    fi
    python_works || die "$PYTHON is no Python 3.11 with its venv module. On Debian: apt-get install python3.11" \
        "python3.11-venv; elsewhere, name the interpreter: make install PYTHON=/path/to/python3.11"
}

# One installation at a time; a second waits for the first.
if command -v flock >/dev/null; then
    exec 9<.ci/install.sh
    flock 9
fi
trap 'say "stopped; the same command goes on from here"; exit 130' INT TERM

if [ "$(cat "$here" 2>/dev/null)" != "$PWD" ]; then
    say "a virtual environment in $venv"
    if [ -e "$here" ] || ! $venv/bin/python -m pip --version >/dev/null 2>&1; then
        need_python
        "$PYTHON" -m venv --clear "$venv"
    fi
    mkdir -p "${here%/*}" && echo "$PWD" >"$here.new" && mv "$here.new" "$here"
fi
# setup.py maps these folders to subpackages, which pyright and editors find by links, in a package as regular as ours.
mkdir -p $venv/mapped/parlai_spotbot
touch $venv/mapped/parlai_spotbot/__init__.py
for folder in agents crowdsourcing projects tasks; do ln -sfn ../../../$folder $venv/mapped/parlai_spotbot/$folder; done
"$venv/bin/python" -m parlai_spotbot.installation "$@"
