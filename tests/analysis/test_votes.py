"""The analysis of votes: against plain counting, a second solver, and what must not change anything."""

import importlib
import json
from itertools import pairwise

import numpy as np
import pytest

from parlai_spotbot import checksums
from parlai_spotbot.checksums import new_manifest, write_manifest
from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.votes import votes
from parlai_spotbot.judges.next_step import answers_by_people
from parlai_spotbot.study import Study

BOTS = ("ann", "bob", "cat", "dan")
STRENGTH = {"ann": 0.9, "bob": 0.3, "cat": -0.2, "dan": -1.0}


def drawn(n, seed=0, ties=0.15, bad=0.2, first=0.0):
    """Votes drawn by strengths; `first`: the advantage of who stands first. As (a, b, word)."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        a, b = rng.choice(BOTS, 2, replace=False)
        word = "model_a" if rng.random() < 1 / (1 + np.exp(STRENGTH[b] - STRENGTH[a] - first)) else "model_b"
        chance = rng.random()
        rows.append((str(a), str(b), "tie" if chance < ties else "tie (bothbad)" if chance < ties + bad else word))
    return rows


@pytest.fixture
def analysed(tmp_path):
    """Import rows (a, b, word, further columns …) and analyse them; the study and the results of people."""

    def analyse(rows, *more, **options):
        path = tmp_path / f"votes{len(list(tmp_path.iterdir()))}.csv"
        head = ",".join(["model_a", "model_b", "winner", *more])
        path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
        study_path = path.with_suffix("")
        write_study(study_path, votes(path, "arena", **options))
        study = Study.open(study_path)
        result = analyze(study, "votes")
        return study, {stem: next(iter(own["by_source"].values())) for stem, own in result.items()}

    return analyse


def test_counts_and_shares_are_those_of_the_file(analysed):
    rows = drawn(600)
    _, found = analysed(rows)
    ranking = main_ranking(found["ranking"])
    for bot, row in ranking.contestants.items():
        assert row["n"] == sum(bot in pair[:2] for pair in rows)
    for pair in ranking.pairs:
        own = [(a, word) for a, b, word in rows if {a, b} == {pair["a"], pair["b"]}]
        won = sum(word == ("model_a" if a == pair["a"] else "model_b") for a, word in own)
        assert (pair["n"], pair["wins_a"]) == (len(own), won)
        assert pair["ties"] == sum(word == "tie" for _, word in own)
        assert pair["both_bad"] == sum(word == "tie (bothbad)" for _, word in own)
        assert pair["wins_b"] == len(own) - won - pair["ties"] - pair["both_bad"]
    assert ranking.whole["both_bad"] == pytest.approx(sum(word == "tie (bothbad)" for *_, word in rows) / 600)
    assert found["votes"].one("whole")["tie"] == sum(word == "tie" for *_, word in rows)


def test_more_votes_come_from_a_file(analysed):
    study, _ = analysed(drawn(60))
    assert (
        answers_by_people(study.load("votes"))
        == f"parlai spotbot_import --study {study.path} --format votes --data FILE"
    )


def test_votes_for_both_bad_leave_the_ranking_as_it_is(analysed):
    rows = drawn(400, bad=0.0)
    with_bad = rows + [("ann", "dan", "tie (bothbad)")] * 150
    plain, bad = (main_ranking(analysed(own)[1]["ranking"]) for own in (rows, with_bad))
    for ranking in (plain, bad):
        assert [(bot, row["score"]) for bot, row in ranking.contestants.items()] == [
            (bot, row["score"]) for bot, row in plain.contestants.items()
        ]
    assert [pair["p"] for pair in plain.pairs] == [pair["p"] for pair in bad.pairs]
    assert plain.places == bad.places
    tied = main_ranking(analysed(rows + [("ann", "dan", "tie")] * 150)[1]["ranking"])
    assert tied.contestants["ann"]["score"] < plain.contestants["ann"]["score"]


def widths(found) -> np.ndarray:
    ranking = main_ranking(found["ranking"])
    return np.array([np.diff(ranking.ends(bot, "score"))[0] for bot in BOTS])


def test_votes_of_one_annotator_hang_together(analysed):
    """Each vote four times: by four people they count four times, by one annotator hardly more than once.

    Errors by annotators are estimated from these, so they are compared on average.
    """
    rows = [row for row in drawn(200, bad=0.0) for _ in range(4)]
    once = widths(analysed(rows[::4])[1])
    apart = widths(analysed(rows)[1])
    same = analysed([(*row, f"w{n // 4}", 1e9 + n) for n, row in enumerate(rows)], "judge", "tstamp")[1]
    np.testing.assert_allclose(apart / once, 0.5, atol=0.03)
    np.testing.assert_allclose((widths(same) / once).mean(), 1.0, atol=0.03)
    assert same["votes"].one("whole")["sentence"].startswith("200 annotators voted up to 4 times each")
    prompts = analysed([(*row, f"q{n // 4}") for n, row in enumerate(rows)], "question_id")[1]
    np.testing.assert_allclose((widths(prompts) / once).mean(), 1.0, atol=0.03)
    nobody = analysed([(*row, "") for row in rows], "judge")[1]
    np.testing.assert_allclose(widths(nobody), apart)
    assert "who voted isn't known" in nobody["votes"].one("whole")["sentence"].lower()
    assert nobody["votes"].one("whole")["independent"]


def test_who_never_met_is_compared_by_others(analysed):
    rows = [row for row in drawn(900, seed=3) if {row[0], row[1]} != {"ann", "dan"}]
    _, found = analysed(rows)
    (pair,) = (pair for pair in main_ranking(found["ranking"]).pairs if {pair["a"], pair["b"]} == {"ann", "dan"})
    assert pair["n"] == 0
    assert pair["p_adjusted"] < 0.05
    apart = analysed([("ann", "bob", "model_a"), ("cat", "dan", "model_b")] * 5)[1]["ranking"]
    apart = main_ranking(apart)
    assert [set(group) for group in apart.groups] == [{"ann", "bob"}, {"cat", "dan"}]
    tested = {(pair["a"], pair["b"]) for pair in apart.pairs if pair["p"] is not None}
    assert tested == {("ann", "bob"), ("cat", "dan")}


def test_of_many_contestants_neighbours_and_counts_stand_for_all_pairs(analysed, monkeypatch):
    rng = np.random.default_rng(5)
    ends = [rng.choice(9, 2, replace=False) for _ in range(600)]
    words = ["model_a" if rng.random() < 1 / (1 + np.exp((a - b) / 5)) else "model_b" for a, b in ends]
    rows = [(f"m{a}", f"m{b}", word) for (a, b), word in zip(ends, words, strict=True) if {a, b} != {0, 8}]
    every = main_ranking(analysed(rows)[1]["ranking"])
    monkeypatch.setattr(importlib.import_module("parlai_spotbot.findings.votes.ranking"), "GRIDDED", 3)
    some = main_ranking(analysed(rows)[1]["ranking"])
    order = some.order
    assert some.contestants == every.contestants
    kept = {(pair["a"], pair["b"]): pair for pair in some.pairs}
    full = {(pair["a"], pair["b"]): pair for pair in every.pairs}
    assert kept == {pair: full[pair] for pair in kept}
    assert set(map(frozenset, pairwise(order))) <= set(map(frozenset, kept))
    assert len(kept) < len(full) == 36
    known = {name: count for name, count in criteria.pair_counts(some).items() if name in criteria.pair_counts(every)}
    assert criteria.pair_counts(every) == known


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"answer": "neither"}, "judgement 2: answer 'neither', expected one of a, b, tie, both_bad"),
        ({"item_id": "ann:eve"}, "judgement 2: item 'ann:eve' is no pair of contestants of the units file"),
    ],
)
def test_what_cannot_be_analysed_is_named(analysed, change, says):
    from parlai_spotbot.errors import UserError

    study, _ = analysed(drawn(5))
    path = study.judgements_path("votes")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1] |= change
    checksums.write_jsonl(path, rows)
    write_manifest(study.path, new_manifest(study.path))
    with pytest.raises(UserError, match=r"judgements\.jsonl") as err:
        analyze(study, "votes")
    assert says in str(err.value)
