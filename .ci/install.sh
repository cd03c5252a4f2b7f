#!/usr/bin/env bash
# Installs all that the project needs into .venv; `make install` calls it. Each step leaves a stamp with the checksum of
# what it was made from, so what is done isn't done again, and an interrupted installation goes on where it stopped.
# R is best effort: without it everything else works; R=no leaves it out.
set -euo pipefail
cd "$(dirname "$0")/.."

named_python=${PYTHON:-}
PYTHON=${PYTHON:-python3.11}
venv=.venv
stamps=$venv/.installed
pip="$venv/bin/python -m pip --disable-pip-version-check"
torch=$(grep '^torch==' locks/requirements.lock)
r_packages="r-base-dev r-cran-survival"

say() { echo "install: $*"; }
die() { echo "install: $*" >&2; exit 1; }
checksum() { cat "$@" | sha256sum | cut -c1-16; }
done_already() { [ -f "$stamps/$1" ] && [ "$(cat "$stamps/$1")" = "$2" ]; }
stamp() { mkdir -p "$stamps" && echo "$2" >"$stamps/$1.new" && mv "$stamps/$1.new" "$stamps/$1"; }

# step NAME KEY MESSAGE COMMAND…: run COMMAND unless it has been done with this KEY.
step() {
    local name=$1 key=$2 message=$3 start=$SECONDS
    shift 3
    done_already "$name" "$key" && return
    say "$message"
    "$@" || die "this step failed: $*. Mend what it says above, then run the same command again."
    stamp "$name" "$key"
    say "  done in $((SECONDS - start)) s"
}

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }
apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } >"$log" 2>&1
}

python_works() { "$PYTHON" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; }
need_python() {
    python_works && return
    if [ -z "$named_python" ] && can_apt; then
        say "Debian packages python3.11 python3.11-venv"
        apt_install python3.11 python3.11-venv || true
    fi
    python_works || die "$PYTHON is no Python 3.11 with its venv module. On Debian: apt-get install python3.11" \
        "python3.11-venv; elsewhere, name the interpreter: make install PYTHON=/path/to/python3.11"
}

make_venv() {
    if [ -f "$stamps/venv" ] || ! $pip --version >/dev/null 2>&1; then
        need_python
        "$PYTHON" -m venv --clear "$venv"
    fi
}

has_r() { command -v R >/dev/null; }

need_r() {
    if ! has_r && can_apt && ! done_already apt "$r_packages"; then
        say "Debian packages $r_packages (R, optional)"
        local start=$SECONDS
        if apt_install $r_packages; then
            say "  done in $((SECONDS - start)) s"
        else
            say "  apt-get failed: $(tail -n 1 "$log")"
        fi
        stamp apt "$r_packages"
    fi
    if ! has_r; then
        say "R is missing, so its backend is left out (all else works)." \
            "To have it: apt-get install $r_packages; then make install"
        return
    fi
    local key start=$SECONDS
    key="$(checksum locks/requirements-r.lock) $(command -v R)"
    done_already r "$key" && return
    if done_already r "failed $key"; then
        say "rpy2 could not be built, so R's backend is left out (all else works)." \
            "Why: $stamps/r.log; to try again: rm $stamps/r; make install"
        return
    fi
    say "rpy2 (R, optional)"
    if $pip install -qq --no-deps -r locks/requirements-r.lock >"$stamps/r.log" 2>&1 &&
        "$venv/bin/python" -c 'import rpy2.robjects' >>"$stamps/r.log" 2>&1; then
        stamp r "$key"
        say "  done in $((SECONDS - start)) s"
    else
        stamp r "failed $key"
        say "  it could not be built, so R's backend is left out (all else works). Why: $stamps/r.log"
    fi
}

# One installation at a time; a second waits for the first.
if command -v flock >/dev/null; then
    exec 9<.ci/install.sh
    flock 9
fi
log=$(mktemp)
trap 'say "stopped; the same command goes on from here"; exit 130' INT TERM
trap 'rm -f "$log"' EXIT

step venv "$PWD" "a virtual environment in $venv" make_venv
step torch "$torch" "$torch (the largest part)" $pip install -qq -c locks/requirements.lock "$torch"
step lock "$(checksum locks/requirements.lock)" "the packages of locks/requirements.lock" \
    $pip install -qq --no-deps -r locks/requirements.lock
step project "$(checksum setup.py pyproject.toml)" "parlai_spotbot itself" \
    $pip install -qq --no-deps --no-build-isolation -e .
[ "${R:-}" = no ] || need_r
