"""Votes from CSV and JSON: columns and words by their common names, errors by file, line and field."""

import csv
import io
import itertools
import json
import random

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot import reading
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.findings.votes import REPEATED, _checked
from parlai_spotbot.importers import row_blocks
from parlai_spotbot.importers import votes as votes_module
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.left_out import LeftOut
from parlai_spotbot.importers.ratings import RatingReader
from parlai_spotbot.importers.times import iso_times, microseconds, utc_time
from parlai_spotbot.importers.votes import votes
from parlai_spotbot.names import alike, clean_name, those_alike
from parlai_spotbot.notebook.votes import read_votes
from parlai_spotbot.records import Judgement
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from parlai_spotbot.study import Study
from tests.case_tables import case_table

ARENA = """\
question_id,model_a,model_b,winner,judge,turn,anony,language,tstamp
q1,gpt-4,vicuna-13b,model_a,arena_user_1,1,True,English,1682351591.13
q2,vicuna-13b,gpt-4,tie (bothbad),arena_user_2,1,True,German,1682351654.7
q3,koala-13b,gpt-4,tie,arena_user_1,1,True,English,1682351700
q3,gpt-4,koala-13b,model_b,,1,True,,
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="votes.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def read(imported) -> list[Judgement]:
    """The judgements of an import, as any reader of the study gets them."""
    lines = b"".join(imported.lines["votes"]).decode().splitlines()
    return [Judgement.from_json(json.loads(line), f"line {n}") for n, line in enumerate(lines, start=1)]


def met(imported) -> list[tuple]:
    """Who met whom, and what came of it."""
    (unit,) = imported.units
    partners = {item.item_id: item.partners for item in unit.items}
    return [(*partners[row.item_id], row.answer) for row in read(imported)]


def test_an_arena_becomes_a_study_without_conversations(run, written, tmp_path):
    words = ["--format", "votes", "--data", written(ARENA), "--study", tmp_path / "study"]
    code, out, err = run(*words)
    assert code == 0, err
    assert "4 votes on 3 contestants: 1 a, 1 b, 1 tie, 1 both bad; 2 annotators" in out
    assert "a from model_a; b from model_b; winner from winner; prompt from question_id; annotator from judge" in out
    study = Study.open(tmp_path / "study")
    assert list(study.plan.contestants) == ["gpt-4", "koala-13b", "vicuna-13b"]
    assert study.plan.surveys == ("votes",)
    assert not study.conversations_path.exists()
    rows = study.judgements("votes")
    assert [row.answer for row in rows] == ["a", "both_bad", "tie", "b"]
    assert [row.conversation_ids for row in rows] == [("q1",), ("q2",), ("q3",), ("q3",)]
    assert [row.worker_id for row in rows] == ["arena_user_1", "arena_user_2", "arena_user_1", ""]
    assert [row.presentation for row in rows] == [
        {"language": "English"},
        {"language": "German"},
        {"language": "English"},
        {},
    ]
    assert [row.submitted_at for row in rows[:2]] == ["2023-04-24T15:53:11.130000Z", "2023-04-24T15:54:14.700000Z"]
    (unit,) = study.units("votes")
    assert [item.partners for item in unit.items] == [
        ("gpt-4", "vicuna-13b"),
        ("vicuna-13b", "gpt-4"),
        ("koala-13b", "gpt-4"),
        ("gpt-4", "koala-13b"),
    ]
    before = study.judgements_path("votes").read_bytes()
    assert "nothing changed" in run(*words)[1]
    assert study.judgements_path("votes").read_bytes() == before


def test_other_names_are_told(written):
    text = 'first bot,second bot,who,rater\n"Big, model",small,1,ann\nsmall,"Big, model",0,bob\n'
    found = votes(
        written(text),
        "x",
        {"a": "first bot", "b": "second bot", "winner": "who", "annotator": "-"},
        {"1": "a", "0": "tie"},
        {"small": "tiny"},
        source="judge:gpt",
    )
    assert met(found) == [("Big-model", "tiny", "a"), ("tiny", "Big-model", "tie")]
    assert {(row.worker_id, row.source) for row in read(found)} == {("", "judge:gpt")}
    assert found.plan.contestants["Big-model"].description == "imported votes, as Big, model"


def test_names_that_may_be_one_are_told_and_names_makes_them_one(written):
    path = written("model_a,model_b,winner\nAda,ada,tie\n\u901a\u4e49,ada,tie\nAda,\u901a\u4e49,model_a\n")
    found = votes(path, "x")
    assert set(found.plan.contestants) == {"Ada", "ada", "\u901a\u4e49"}
    two = "if not: --names 'Ada'='Ada','ada'='ada'"
    assert found.about["notes"] == [f"Ada and ada are two; if they are one: --names 'ada'='Ada'; {two}"]
    assert set(votes(path, "x", names={"ada": "Ada"}).plan.contestants) == {"Ada", "\u901a\u4e49"}
    answered = votes(path, "x", names={"ada": "ada", "Ada": "Ada"})
    assert set(answered.plan.contestants) == {"Ada", "ada", "\u901a\u4e49"}
    assert answered.about["notes"] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ada", "\u0410da"), ("pop", "\u0440\u043e\u0440"), ("BETA", "\u0392\u0395\u03a4\u0391"), ("\uff21da", "Ada")],
)
def test_letters_that_look_alike_are_one_question(written, one, other):
    found = votes(written(f"model_a,model_b,winner\n{one},x,model_a\n{other},x,model_b\nx,{one},tie\n"), "x")
    if clean_name(one) != clean_name(other):
        assert [note for note in found.about["notes"] if "are two; if they are one" in note]
    assert alike(one) == alike(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("gpt-4o", "gpt-40"), ("o1", "ol"), ("\u0416\u0435\u043d\u044f", "\u0416\u0430\u043d\u043d\u0430"), ("a", "b")],
)
def test_other_names_are_no_question(one, other):
    assert alike(one) != alike(other)


def test_an_annotator_with_a_stray_quote_is_told(written):
    found = votes(written('model_a,model_b,winner,annotator\nx,y,tie,u2\nx,y,model_a,u"2\n'), "x")
    assert "annotators who may be one are counted as two: 1 pair" in found.about["notes"][0]


def test_annotators_who_may_be_one_are_counted_as_two_and_told(written):
    found = votes(written("model_a,model_b,winner,annotator\nx,y,tie,Ann\nx,y,model_a,ann\nx,y,tie,bob\n"), "x")
    assert found.about["annotators"] == 3
    (note,) = found.about["notes"]
    assert note.startswith("annotators who may be one are counted as two: 1 pair, ")


def test_a_column_without_a_heading_is_no_field(written):
    rows = "x,y,model_a\ny,x,tie\nx,z,model_b\n"
    plain = votes(written("model_a,model_b,winner\n" + rows), "x")
    indexed = "".join(f"{number},{row}\n" for number, row in enumerate(rows.split()))
    for head in (",model_a,model_b,winner\n", "Unnamed: 0,model_a,model_b,winner\n"):
        assert votes(written(head + indexed), "x").lines == plain.lines


@case_table(__file__, "voters")
def test_votes_of_language_models_are_no_people_s(voter, source, written):
    found = votes(written(f"model_a,model_b,winner,judge\nx,y,model_a,{voter}\ny,z,tie,{voter}\n"), "x")
    assert {row.source for row in read(found)} == {source}
    assert bool(found.about["notes"]) == (source != "human")
    kept = votes(written(f"model_a,model_b,winner,judge\nx,y,model_a,{voter}\n"), "x", source="human")
    assert {row.source for row in read(kept)} == {"human"}


@pytest.mark.parametrize(
    ("place", "part"),
    [
        ("judge_outputs/all", "judge_outputs"),
        ("results/o1-mini", "o1-mini.csv"),
        ("gpt-4-eval/all", "gpt-4-eval"),
        ("gpt-4-eval/human_votes", ""),
        ("results/x_vs_y", ""),
    ],
)
def test_who_answered_by_the_path_alone_is_told(place, part, written, tmp_path):
    """Votes and ratings of people and of models look alike; where no column and no option says whose they are, the
    path's word for a judge, or a model that is no contestant, is told."""
    (tmp_path / place).parent.mkdir()
    path = written("model_a,model_b,winner\nx,y,x\n", f"{place}.csv")
    told = [note for note in votes(path, "x").about["notes"] if "suggests that a language model answered" in note]
    assert told == [note for note in told if note.startswith(f"the path's '{part}'")]
    assert len(told) == bool(part)
    assert not any("suggests" in note for note in votes(path, "x", source="human").about["notes"])
    assert {row.source for row in read(votes(path, "x"))} == {"human"}
    path.write_text("model_a,model_b,winner,judge_id\nx,y,x,ada\n")
    assert len([note for note in votes(path, "x").about["notes"] if "suggests" in note]) == bool(part)
    path.write_text("model_a,model_b,winner,judge_id\nx,y,x,gpt-4o\n")
    assert not any("suggests" in note for note in votes(path, "x").about["notes"])
    path.write_text("model,rating\nx,1\ny,2\n")
    rated = RatingReader(ImportRequest(str(path))).study().about["notes"]
    assert [note for note in rated if "suggests that a language model answered" in note] == told


def test_of_a_prompt_only_a_checksum_stays(written):
    rows = ["how are you?", "how are you?", "where?"]
    text = "model_a,model_b,winner,prompt\n" + "".join(f"x,y,tie,{prompt}\n" for prompt in rows)
    first, second, third = (row.conversation_ids for row in read(votes(written(text), "x")))
    assert first == second != third
    assert "how" not in b"".join(votes(written(text), "x").lines["votes"]).decode()


def test_votes_on_oneself_are_left_out_and_said(written):
    found = votes(written("model_a,model_b,winner\nx,y,tie\nx,x,tie\n"), "x")
    assert len(read(found)) == 1
    assert found.about["unusable"] == {"vote between a contestant and itself": 1}


COPY = "copy of another row"
ALL = ("judge", "question_id", "tstamp")


@case_table(__file__, "repeats")
def test_an_annotator_votes_once_on_an_item(known, change, is_repeat, written, tmp_path):
    """By the table that analyses read, on which the last vote counts."""
    columns = ("model_a", "model_b", "winner", *known)
    row = dict(zip(("model_a", "model_b", "winner", *ALL), ("x", "y", "model_a", "w", "q", 1.7e9 + 0.5), strict=True))
    other = row | change
    rows = [row, {**row, "model_b": "z", "question_id": "q9", "tstamp": 1.6e9}, other]
    text = ",".join(columns) + "\n" + "".join(",".join(str(one[name]) for name in columns) + "\n" for one in rows)
    found = votes(written(text), "x")
    write_study(tmp_path / "study", found)
    study = Study.open(tmp_path / "study")
    partners = {item.item_id: item.partners for unit in study.units("votes") for item in unit.items}
    kept, left_out = _checked(study.judgement_table("votes"), partners)
    is_copy = is_repeat and not change and {"judge", "tstamp"} <= {*known}
    assert found.about["unusable"] == ({COPY: 1} if is_copy else {})
    assert left_out == ({"human": {REPEATED: 1}} if is_repeat and not is_copy else {})
    assert kept.index.tolist() == ([0, 1] if is_copy else [1, 2] if is_repeat else [0, 1, 2])


def scores_and_p(ranking):
    """Scores by contestant, p by pair."""
    scores = {bot: row["score"] for bot, row in ranking.contestants.items()}
    return scores, {" ".join(sorted((pair["a"], pair["b"]))): pair["p"] for pair in ranking.pairs}


@pytest.mark.parametrize("seed", range(2))
def test_repeated_votes_change_no_figure(seed, written):
    """Copies anywhere in the file; earlier votes that were changed stand anywhere where the times are known."""
    rng = random.Random(seed)
    rows = [
        (
            *rng.sample(["x", "y", "z"], 2),
            rng.choice(["model_a", "model_b", "tie"]),
            f"w{n % 7}",
            f"q{n}",
            1.7e9 + 60 * n,
        )
        for n in range(120)
    ]
    earlier = [(*row[:2], "tie", *row[3:5], row[5] - 1) for row in rng.choices(rows, k=20)]
    mixed = rng.sample([*rows, *rng.choices(rows, k=40), *earlier], 180)
    head = "model_a,model_b,winner,judge,question_id,tstamp\n"
    plain, with_repeats = (
        read_votes(written(head + "".join(",".join(map(str, row)) + "\n" for row in own), f"{name}.csv")).rank()
        for name, own in (("plain", rows), ("mixed", mixed))
    )
    both = [main_ranking(results.frames) for results in (with_repeats, plain)]
    scores, p_values = zip(*map(scores_and_p, both), strict=True)
    assert scores[0] == pytest.approx(scores[1])
    assert both[0].places == both[1].places
    assert p_values[0] == pytest.approx(p_values[1])
    copies = len(mixed) - len(set(mixed))  # the import leaves them out
    assert copies >= 40
    assert sum(with_repeats.left_out["human"].values()) == 60 - copies


# -- rows that can't be used, columns that come later, common notations ------------------------------------------------
FULL = [
    {"model_a": a, "model_b": b, "winner": "model_a", "judge": f"u{n % 4}", "question_id": f"q{n}", "language": "de"}
    for n, (a, b) in enumerate([("x", "y"), ("y", "z"), ("z", "x")] * 5)
]


@pytest.mark.parametrize("lacks", [["judge", "question_id", "language"], ["winner", "judge"], [*FULL[0]]])
@pytest.mark.parametrize("name", ["votes.jsonl", "votes.json"])
def test_columns_are_those_of_all_rows(lacks, name, written):
    """The first row may lack them; then they were lost in all rows."""
    rows = [{key: value for key, value in FULL[0].items() if key not in lacks}, *FULL[1:]]
    text = json.dumps(rows) if name.endswith("json") else "".join(json.dumps(row) + "\n" for row in rows)
    found = votes(written(text, name), "x")
    assert set(found.about["columns"]) == {"a", "b", "winner", "prompt", "annotator", "language"}
    own = read(found)[-14:]
    assert [(row.worker_id, row.conversation_ids, row.presentation) for row in own] == [
        (row["judge"], (row["question_id"],), {"language": "de"}) for row in FULL[1:]
    ]


HEAD = "model_a,model_b,winner,judge,tstamp\n"
GOOD = "x,y,model_a,u1,1700000000\ny,x,tie,u2,1700000001\nx,y,model_b,u3,1700000002\n"


@case_table(__file__, "left_out")
def test_a_row_that_cannot_be_used_is_left_out_and_counted(rows, reason, count, run, written, tmp_path):
    path = written(HEAD + GOOD + rows)
    words = ["--format", "votes", "--data", path, "--study"]
    code, out, err = run(*words, tmp_path / "study")
    assert (code, f"left out, since it can't be used: {count} × {reason}" in out) == (1, True), out + err
    study = Study.open(tmp_path / "study")
    assert len(study.judgements("votes")) == 3
    assert study.provenance()["import"]["unusable"] == {reason: count}
    assert run(*words, tmp_path / "strict", "--strict")[0] == 2
    assert not (tmp_path / "strict").exists()
    with pytest.warns(UserWarning, match=f"{path}: left out, since it can't be used: {count} × {reason}"):
        read_votes(path)
    path.write_text(HEAD + rows * 3 + GOOD[: GOOD.index("\n") + 1])
    code, _, err = run(*words, tmp_path / "most")
    if reason == COPY:
        return  # nothing is lost
    assert (code, "rows can't be used" in err) == (2, True), err


@case_table(__file__, "common")
def test_common_notations_are_understood(name, text, words, expected, margins, says, ends, run, written, tmp_path):
    code, out, err = run(
        "--format", "votes", "--data", written(text, name or "v.csv"), "--study", tmp_path / "s", *(words or ())
    )
    assert code == (ends or 0), err
    study = Study.open(tmp_path / "s")
    partners = {item.item_id: "".join(item.partners) for item in study.units("votes")[0].items}
    rows = study.judgements("votes")
    assert [f"{partners[row.item_id]} {row.answer}" for row in rows] == expected
    assert [row.presentation.get("margin") for row in rows] == (margins or [None] * len(rows))
    assert (says or "") in out


@pytest.mark.parametrize(
    "heads", ["左,右,谁赢了", "слева,справа,победил", "बाएँ,दाएँ,जीत", "يسار,يمين,فاز", "+,~,=", "→,←,★"]
)
@pytest.mark.parametrize("sides", ["yes", "no"])
def test_words_of_any_script_stay_apart(heads, sides, written):
    """All words without Latin letters were one: a row without a winner was won by the left."""
    a, b, winner = heads.split(",")
    words = {"甲": "a", "乙": "b", "=": "tie"}
    if sides == "yes":
        words = {a: "a", b: "b", "tie": "tie"}  # the columns' own names are sides
    rows = "".join(f"x,y,{word}\n" for word in [*words, *words, ""])
    left_out = LeftOut()
    columns = {"a": a, "b": b, "winner": winner}
    found = votes(written(f"{heads}\n{rows}"), "x", columns, {} if sides == "yes" else words, left_out=left_out)
    assert [row.answer for row in read(found)] == [*words.values()] * 2
    assert left_out.counts == {"vote without a winner": 1}
    if sides == "no":
        with pytest.raises(UserError, match="'甲', which is no contestant and no known word"):
            votes(written(f"{heads}\n{rows}"), "x", columns)


def games(seed, names):
    """Who beat whom, the first name the strongest; all met each other equally often."""
    rng = random.Random(seed)
    pairs = [*itertools.combinations(range(len(names)), 2)] * 24
    wins = [pair if rng.random() < 0.6 + 0.1 * (pair[1] - pair[0]) else pair[::-1] for pair in pairs]
    return [(names[winner], names[loser]) for winner, loser in wins]


def winner_and_loser(won):
    return "chosen_model,rejected_model\n" + "".join(f"{one},{other}\n" for one, other in won), {}


def tallies(won):
    text = "model_a,model_b,wins_a,wins_b\n"
    for a, b in sorted({tuple(sorted(pair)) for pair in won}):
        text += f"{a},{b},{won.count((a, b))},{won.count((b, a))}\n"
    return text, {}


def rankings_of_two(won):
    return "rank_1,rank_2\n" + "".join(f"{one},{other}\n" for one, other in won), {}


def sides_by_name(won):
    rows = "".join(f"{min(pair)},{max(pair)},{pair[0]}\n" for pair in won)
    return f"model_a,model_b,winner\n{rows}", {"columns": {"first": "-"}}


@pytest.mark.parametrize("shape", [winner_and_loser, tallies, rankings_of_two, sides_by_name])
@pytest.mark.parametrize("names", [("gpt", "claude", "llama"), ("a9", "z", "m", "b")], ids=" ".join)
def test_where_nobody_knows_who_stood_first_names_decide_nothing(shape, names, written):
    """Contestants stand by name in an item: the first of the alphabet was given an advantage, and ranks changed."""
    scores = []
    clear = []
    for renamed in itertools.permutations(names):
        text, words = shape(games(1, renamed))
        found = read_votes(written(text), **words).rank(bootstraps=20)
        table = found.tables["ranking"].set_index("bot")
        scores.append(table.loc[[*renamed], ["score", "score_low", "score_high", "n"]].to_numpy(dtype=float))
        clear.append(sorted(found.tables["pairs"]["p_adjusted"]))
        assert "order" not in {row["probe"] for row in found.frames.rows("audit")}
    for one, other in zip(scores, clear, strict=True):
        assert one == pytest.approx(scores[0], abs=1e-6)
        assert other == pytest.approx(clear[0], abs=1e-6)
    wins = [sum(name == winner for winner, _ in games(1, names)) for name in names]
    assert [*np.argsort(-scores[0][:, 0])] == [*np.argsort(-np.array(wins))]


def test_first_takes_no_column(written):
    with pytest.raises(UserError, match="--columns first=model_a: expected -"):
        votes(written("model_a,model_b,winner\nx,y,model_a\n"), "x", {"first": "model_a"})


@case_table(__file__, "times")
def test_times_as_programs_write_them(time):
    assert utc_time(time) == "2024-05-01T12:00:00Z"


@pytest.mark.parametrize("time", ["soon", "13/1/2024 12:00", 5, "1e999", 10**400, "1" * 40, [1], "12:00"])
def test_other_times_are_none(time):
    with pytest.raises((ValueError, OverflowError)):
        utc_time(time)


def test_a_study_of_votes_alone_is_analysed_without_naming_the_survey(written, tmp_path):
    write_study(tmp_path / "study", votes(written(HEAD + GOOD * 3), "x"))
    SpotbotAnalyze(vars(SpotbotAnalyze.setup_args().parse_args(["--study", str(tmp_path / "study")]))).run()
    assert Study.open(tmp_path / "study").analysis_path("votes").joinpath("ranking.json").exists()


@case_table(__file__, "refused")
def test_what_may_mean_two_things_is_refused_with_what_reads_it(text, says, written):
    with pytest.raises(UserError) as err:
        votes(written(text), "x")
    assert says in str(err.value)


def test_the_votes_of_a_ranking_are_one_cluster(written):
    """As precise as the same votes with a prompt each ranking; as independent votes they'd be more precise."""
    rng = random.Random(3)
    rankings = [rng.sample("xyz", 3) for _ in range(60)]
    ranked = "rank_1,rank_2,rank_3\n" + "".join(",".join(names) + "\n" for names in rankings)
    pairs = [(a, b, n) for n, names in enumerate(rankings) for a, b in itertools.combinations(names, 2)]
    voted = "winner,loser,prompt\n" + "".join(f"{a},{b},p{n}\n" for a, b, n in pairs)
    files = {"ranked.csv": ranked, "voted.csv": voted}
    found = [read_votes(written(text, name)).rank().tables["ranking"] for name, text in files.items()]
    pd.testing.assert_frame_equal(*found)


CHANGED = ("", "null", "[1]", "-1", '{"a": 1}', "1e999", 'x"y', " x ", "model_b", "\u0436")


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_cell_changes_no_other_row_and_each_row_is_read_or_counted(seed, written):
    rng = random.Random(seed)
    head = ["model_a", "model_b", "winner", "question_id", "judge", "tstamp"]
    winners = ["model_a", "model_b", "tie"]
    rows = [
        [*rng.sample("xyz", 2), rng.choice(winners), f"q{n}", f"w{n % 3}", str(1_700_000_000 + n)] for n in range(12)
    ]
    place = rng.randrange(12)
    before = met(votes(written(table(head, rows), "right.csv"), "v"))
    rows[place][rng.randrange(6)] = rng.choice(CHANGED)
    left_out = LeftOut()
    refused = ""
    after = []
    try:
        after = met(votes(written(table(head, rows), "changed.csv"), "v", left_out=left_out))
    except UserError as err:
        refused = str(err)
    if refused:
        assert f"line {place + 2}" in refused
        return
    assert len(after) + left_out.counts.total() == 12
    if left_out.counts:
        del before[place]
        assert after == before
    else:
        assert after[:place] + after[place + 1 :] == before[:place] + before[place + 1 :]


def table(head, rows) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()


def test_the_table_of_an_import_is_that_of_its_file(written, tmp_path):
    head = "model_a,model_b,winner,judge,question_id,language,tstamp,count\n"
    words = ["model_a", "model_b", "tie", "tie (bothbad)", "A>>B", ""]
    times = ["1682351591.13", "", "2024-05-01", "5/31/2024 12:00"]
    rows = itertools.product(["ada,bob", "bob,ada", "ada,ada"], words, ["", "ann", "gpt-4"], ["", "q1", "what?"], times)
    text = "".join(
        f"{pair},{word},{who},{prompt},{'de' * (who == 'ann')},{when},2\n" for pair, word, who, prompt, when in rows
    )
    imported = votes(written(head + text), "x")
    write_study(tmp_path / "study", imported)
    by_file = Study.open(tmp_path / "study").judgement_table("votes")
    assert len(by_file) > 100
    pd.testing.assert_frame_equal(imported.table, by_file)
    assert imported.table.attrs == by_file.attrs


@pytest.mark.parametrize("unit", [1, 1e3, 1e6, 1e9])
def test_many_times_are_what_each_is_alone(unit):
    rng = random.Random(1)
    numbers = [
        rng.choice([round(seconds), seconds, round(seconds, 2)]) * unit
        for seconds in (rng.uniform(1.1e8, 4e9) for _ in range(3000))
    ]
    texts = [f" {number!r}" for number in numbers]
    assert iso_times(microseconds(numbers)) == iso_times(microseconds(texts)) == list(map(utc_time, numbers))


@pytest.mark.parametrize("other", ["", None, "2024-05-01", "45000", "-1682351591", "nan", "inf", True, {"$date": 1}])
def test_times_are_read_one_by_one_where_some_are_no_such_number(other):
    assert iso_times(microseconds(["1682351591", other])) == []


CELLS = {
    "model_a": ["ada", "Ada", "c,d", "", "-", "1"],
    "model_b": ["bob", "bob", "bob", "bob", "通义", "2"],
    "winner": ["model_a", "model_b", "tie", "tie (bothbad)", "bob", "", "[[A>>B]]", "nobody"],
    "judge": ["u1", "u2", "gpt-4", "U1", "", 'u"x', " u1"],
    "tstamp": ["1680000000.5", "1680000000", "1680048000", "9999999999.5", "2024-05-01", "5/31/2024 12:00", "", "soon"],
    "language": ["English", "", 'Fran"çais'],
    "question_id": ["q1", "q2", "a long question, or so?", "0", "", "one\ntwo"],
    "count": ["1", "2", "0", "3.0", "many"],
    "id": [*map(str, range(30))],
    "status": ["Approved", "Rejected"],
}
"""Values of the columns of messy files; the last ones are the rarest."""


def messy_file(seed: int) -> bytes:
    """A table with blanks, copies, quotes, empty and torn lines, and times of several kinds: some in few files."""
    draw = random.Random(seed)
    columns = list(CELLS)[:3] + [name for name in list(CELLS)[3:] if draw.random() < 0.5]
    draw.shuffle(columns)
    usual = {name: CELLS[name][: draw.randint(1, len(CELLS[name]))] for name in columns}
    rows = [[draw.choice(usual[name]) for name in columns] for _ in range(draw.choice([0, 1, 2, 40, 150]))]
    rows += draw.choices(rows, k=draw.choice([0, 3])) if rows else []
    table = io.StringIO()
    delimiter = draw.choice(",;\t")
    writer = csv.writer(table, delimiter=delimiter, lineterminator="\n")
    if draw.random() < 0.5:
        writer = csv.writer(table, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([columns, *rows])
    lines = table.getvalue().splitlines()
    for _ in range(draw.choice([0, 0, 0, 1])):
        place = draw.randint(1, len(lines))
        lines.insert(place, draw.choice(["", "," * (len(columns) - 1), "ada, bob,tie", 'a "quote', "x"]))
    ends = draw.choice(["\n", "\n", "\r\n", "\r"])
    text = ends.join(lines) + ends * draw.choice([0, 1, 1, 3])
    return text.encode(draw.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")


def outcome_of(path, **options) -> list:
    """Everything that reading a file leaves: the error, or what is written, the table and what was left out."""
    left_out = LeftOut()
    try:
        imported = votes(path, "x", left_out=left_out, **options)
    except UserError as err:
        return [type(err), str(err)]
    table = imported.table
    categories = [[*table[name].cat.categories] for name in table if table[name].dtype == "category"]
    written = b"".join(imported.lines["votes"])
    return [written, imported.about, imported.units, table.to_csv(), categories, left_out.rows, left_out.lines()]


@pytest.mark.parametrize("part", range(4))
def test_a_table_read_by_columns_is_the_one_read_row_by_row(part, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SPLIT_AT_ONCE", 300)
    path = tmp_path / "votes.csv"
    read_whole = 0
    for seed in range(50 * part, 50 * part + 50):
        path.write_bytes(messy_file(seed))
        by_columns = outcome_of(path)
        with monkeypatch.context() as patch:
            patch.setattr(votes_module, "table_blocks", lambda *_: iter(()))
            patch.setattr(row_blocks, "BLOCK", 7)
            by_rows = outcome_of(path)
        assert by_columns == by_rows, seed
        read_whole += len(by_columns) > 2
    assert read_whole > 5


def test_a_quote_that_opens_at_the_end_of_a_block_is_told(written, monkeypatch):
    rows = "model_a,model_b,winner\nx,y,model_a\ny,x,model_b\n"
    path = written(rows + 'x,y,"tie\n' + "y,x,tie\n" * 9)
    monkeypatch.setattr(reading, "SPLIT_AT_ONCE", len("x,y,model_a\ny,x,model_b\n") + 1)
    with pytest.raises(UserError, match=r"line 4: a quote .* that opens there is never closed"):
        votes(path, "x")


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["ann"],
        ["ann", "Ann", "bob", "аnn", "b ob"],
        ["", " ", "a b", "A  b", "c", "\u3000"],
        ["ann\nbob", "ann", "bob", "ANN", "ann bob"],
        ["e\u0301", "\u00e9", "e", "\u0301", "\uff45"],
    ],
)
def test_names_that_are_alike_are_found_at_once_as_one_by_one(names):
    each = [alike(name) for name in names]
    assert those_alike(names) == [name for name, common in zip(names, each, strict=True) if each.count(common) > 1]
