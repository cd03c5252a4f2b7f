#!/bin/sh
# Repeats this study's tables. Run it in an empty folder: sh PATH/repeat.sh
# It needs parlai_spotbot VERSION ("spotbot" among the commands). Its status is 0 where all is as published.
set -eu
release=$(cd "$(dirname "$0")" && pwd)
if [ -n "$(ls -A)" ]; then
    echo "repeat.sh: this folder has something in it; run it in an empty one." >&2
    exit 2
fi
status=0
if command -v sha256sum >/dev/null; then
    (cd "$release" && sha256sum --check --quiet SHA256SUMS)
fi

mkdir selfplay
cp "$release/study.yaml" selfplay/
if [ -d "$release/domain" ]; then cp -R "$release/domain" selfplay/; fi
if [ -d "$release/code" ]; then cp -R "$release/code" .; fi
played=yes
spotbot selfchat --study selfplay || played=no
if cmp selfplay/conversations.jsonl "$release/conversations.jsonl"; then
    echo "self-play: the conversations have the same bytes"
elif [ $played = no ]; then
    echo "self-play: not all bots can play here; the published conversations are used"
else
    echo "self-play: the conversations differ from the published ones, which are used"
    status=1
fi

mkdir study tables
cp "$release/study.yaml" "$release/provenance.json" study/
if [ -f "$release/conversations.jsonl" ]; then cp "$release/conversations.jsonl" study/; fi
cp -R "$release/surveys" study/
if [ -d "$release/domain" ]; then cp -R "$release/domain" study/; fi
spotbot analyze --study study --survey spot_the_bot --bootstraps 100 --backend native || echo "spotbot analyze: status $?"
mkdir "tables/spot_the_bot"
cp "study/surveys/spot_the_bot/analysis/"*.csv "tables/spot_the_bot/"
if diff -r "$release/tables" tables; then
    echo "tables: the same bytes"
else
    echo "tables: they differ from the published ones, see above"
    status=1
fi
exit $status