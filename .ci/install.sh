#!/usr/bin/env bash
# Installs all that the project needs into .venv; `make install` calls it. Each step leaves a stamp with the checksum of
# what it was made from, so what is done isn't done again, and an interrupted installation goes on where it stopped.
# Best effort, because all else works without them: R (R=no leaves it out), the annotation page, which needs node and
# npm to be built, and Chromium for the tests of pages (BROWSER=no leaves it out).
set -euo pipefail
cd "$(dirname "$0")/.."

named_python=${PYTHON:-}
PYTHON=${PYTHON:-python3.11}
venv=.venv
stamps=$venv/.installed
pip="$venv/bin/python -m pip --disable-pip-version-check"
torch=$(grep '^torch==' locks/requirements.lock)
r_packages="r-base-dev r-cran-survival"
page=crowdsourcing/webapp

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

# optional NAME COMMAND PURPOSE PACKAGE…: Debian packages for what is missing, where that may be; asked for once.
optional() {
    local name=$1 command=$2 purpose=$3 start=$SECONDS
    shift 3
    command -v "$command" >/dev/null && return
    if ! can_apt || done_already "$name" "$*"; then return; fi
    say "Debian packages $* ($purpose, optional)"
    if apt_install "$@"; then
        say "  done in $((SECONDS - start)) s"
    else
        say "  apt-get failed: $(tail -n 1 "$log")"
    fi
    stamp "$name" "$*"
}

page_sources() {
    find "$page" \( -name node_modules -o -name build \) -prune -o -type f -print | LC_ALL=C sort
}

build_page() {
    (cd "$page" && npm ci --no-audit --no-fund --ignore-scripts && node build.mjs) >"$log" 2>&1
}

need_page() {
    [ -d "$page" ] || return 0
    optional apt-node npm "to build the annotation page" nodejs npm
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        say "node and npm are missing, so the annotation page is left out (all else works)." \
            "To have it: install node 18 or later with npm; then make install"
        return
    fi
    local key start=$SECONDS
    key=$(page_sources | tr '\n' '\0' | xargs -0 sha256sum | checksum -)
    [ -f "$page/build/index.html" ] && done_already page "$key" && return
    say "the annotation page"
    if build_page; then
        stamp page "$key"
        say "  done in $((SECONDS - start)) s"
    else
        cp "$log" "$stamps/page.log"
        say "  it could not be built, so it is left out (all else works). Why: $stamps/page.log;" \
            "to try again: make install"
    fi
}

has_r() { command -v R >/dev/null; }

need_r() {
    optional apt R "R" $r_packages
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

# R's icenReg, which R's own installer builds from source; without it curves and regressions are fitted here.
need_icenreg() {
    done_already r "$(checksum locks/requirements-r.lock) $(command -v R)" || return 0
    local key start=$SECONDS
    key="$(checksum .ci/icenreg.R) $(command -v R)"
    done_already icenreg "$key" && return
    if done_already icenreg "failed $key"; then
        say "R's package icenReg is left out (all else works): survival is fitted by this package itself." \
            "Why: $stamps/icenreg.log; to try again: rm $stamps/icenreg; make install"
        return
    fi
    say "R's package icenReg (optional, at most 10 minutes)"
    if timeout 600 Rscript .ci/icenreg.R "$venv/R" >"$stamps/icenreg.log" 2>&1; then
        stamp icenreg "$key"
        say "  done in $((SECONDS - start)) s"
    else
        stamp icenreg "failed $key"
        say "  it could not be built, so survival is fitted by this package itself. Why: $stamps/icenreg.log"
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
need_page
[ "${R:-}" = no ] || { need_r; need_icenreg; }
[ "${BROWSER:-}" = no ] || optional apt-chromium chromium "for the tests of pages in a browser" chromium
