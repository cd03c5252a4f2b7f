"""The headline: axes and bars of the ranking, the figure to be taken away, and the conversations that show why."""

import csv
import io
import re
from itertools import pairwise
from urllib.parse import quote

import pandas as pd
import pytest

from parlai_spotbot.findings import card_bars
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.findings.sections import BarAxis, Card, CardBar, Name
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.report.charts.headline import headline
from parlai_spotbot.report.drawing import looks
from parlai_spotbot.report.examples import LEVEL, examples_of
from parlai_spotbot.report.first_screen import _changed, _disagreement
from parlai_spotbot.report.page import build_report
from parlai_spotbot.study_plan import Plan
from tests.case_tables import cases

SURVEY = "spot_the_bot"
SHARE = Column("share", "Points", ci=True)
NUMBER = Column("number", "Mean", ci=True)


def ranked(rows, column, matches=True):
    """The bars of contestants a, b, … with these (value, low, high)."""
    names = [chr(ord("a") + place) for place in range(len(rows))]
    frame = pd.DataFrame(rows, columns=["score", "score_low", "score_high"]).assign(bot=names)
    ranking = Ranking(Frames.from_tables({"ranking": frame, "whole": {"matches": matches}}))
    table = Table("ranking", {"bot": Column("name", "Bot"), "score": column})
    return card_bars.of_ranking(table, ["score"], ranking)


@cases(
    "rows kind ticks",
    """
- [[[0.53, 0.43, 0.62], [0.45, 0.37, 0.54]], share, ["30%", "40%", "50%", "60%", "70%"]]
- [[[0.9, 0.8, 1.0]], share, ["50%", "75%", "100%"]]
- [[[0.0, null, null], [1.0, null, null]], share, ["0%", "25%", "50%", "75%", "100%"]]
- [[[0.5, null, null], [0.5, null, null]], share, ["50%", "75%"]]
- [[[1503.0, 1450.0, 1560.0], [990.0, 950.0, 1010.0]], number, ["800", "1000", "1200", "1400", "1600"]]
- [[[-0.2, -0.9, 0.3]], number, ["−1", "−0.5", "0", "0.5"]]
""",
)
def test_an_axis_holds_all_intervals_and_has_even_ticks(rows, kind, ticks):
    column = {"share": SHARE, "number": NUMBER}[kind]
    [(scale, bars)] = ranked(rows, column).items()
    assert [text for _, text in scale.ticks] == ticks
    places = [at for at, _ in scale.ticks]
    assert places[0] == 0
    assert places[-1] == 100
    assert {round(after - before, 1) for before, after in pairwise(places)} == {round(scale.step, 1)}
    for bar in bars.values():
        assert 0 <= bar.low <= bar.at <= bar.high <= 100
    if kind == "share":
        assert dict(scale.ticks).get(scale.reference) == "50%"


def test_without_matches_there_is_no_line_of_reference():
    [scale] = ranked([[0.2, 0.1, 0.3]], SHARE, matches=False)
    assert scale.reference is None


@pytest.mark.parametrize("letters", ["n", "W", "名", "a-model-of-"])
@pytest.mark.parametrize("count", [1, 2, 20])
def test_the_figure_has_room_for_its_values_whatever_the_names(count, letters):
    names = [Name(f"{place}" + (letters * 61)[:59]) for place in range(count)]
    bar = CardBar(50, 40, 60, "50.5% [40.0%, 60.0%]", (0.5, 0.4, 0.6))
    card = Card(
        (BarAxis("Points", ((0.0, "0%"), (100.0, "100%")), 50.0),), [("1", [(own, 12_345, [bar])]) for own in names]
    )
    figure = headline(
        card, looks(names), "f", f"{names[0]}, {names[-1]} and 12 others can't be told apart.", "Of."
    ).figure
    [axes] = figure.axes
    assert axes.bbox.width >= 0.25 * figure.bbox.width
    texts = [*figure.texts, *axes.get_yticklabels(), *axes.texts]
    for box in (text.get_window_extent() for text in texts if "名" not in text.get_text()):
        assert figure.bbox.x0 - 1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
    rows = [axes.texts[place : place + 3] for place in range(0, len(axes.texts), 3)]
    for row in rows:
        ends = [text.get_window_extent() for text in row]
        assert all(left.x1 < right.x0 for left, right in pairwise(ends))


@pytest.mark.parametrize("names", [["a"], ["名" * 61, "b" * 61], [f"bot-{n}" for n in range(60)]])
def test_the_figure_has_title_footer_values_and_data(names):
    bars = {name: CardBar(50, 40, 60, "50% [40%, 60%]", (0.5, 0.4, 0.6)) for name in names}
    clusters = [("1", [(Name(name), None, [bar]) for name, bar in bars.items()])]
    card = Card((BarAxis("Points", ((0.0, "0%"), (100.0, "100%")), 50.0),), clusters)
    drawing = headline(card, looks(names), "figure", "One is ahead.", "Of a study.")
    assert "One is ahead." in drawing
    assert "Of a study." in drawing
    rows = list(csv.DictReader(io.StringIO(drawing.files["csv"].decode())))
    assert [row["contestant"] for row in rows] == names[:40]
    assert rows[0] == {"contestant": names[0], "places": "1", "value": "0.5", "low": "0.4", "high": "0.6", "n": ""}
    assert headline(Card(clusters=[("1", [(Name("a"), 3, [])])]), looks([]), "none", "", "") is None
    assert headline(Card(), looks([]), "none", "", "") is None


def test_bars_of_the_first_screen_are_the_answers(study):
    """Human, unsure and bot of each name, and how many matches its place rests on."""
    page = build_report(study).read_text(encoding="utf-8")
    header = re.search(r"<header.*?</header>", page, re.S)[0]
    conversations = {c.conversation_id: c.entities for c in study.conversations()}
    said = {}
    for row in study.judgements(SURVEY):
        if row.source == HUMAN and row.question == "nature":
            name = conversations[row.conversation_ids[0]][int(row.target[-1])]
            said.setdefault(name, []).append(row.answer)
    stacks = re.findall(r'class="part-human".*?class="part-bot"', header)
    shown = [re.findall(r"width:([\d.]+)%", stack) for stack in stacks]
    names = re.findall(r'<th scope="row"><span class="chip[^>]*>([^<]*)</span>', header)
    assert len(shown) == len(names) == 5
    for name, (human, unsure) in zip(names, shown, strict=True):
        answers = said[HUMAN if name == "people" else name]
        assert float(human) == pytest.approx(100 * answers.count("human") / len(answers), abs=0.06)
        assert float(unsure) == pytest.approx(100 * answers.count("unsure") / len(answers), abs=0.06)
    counts = [int(count) for count in re.findall(r'<td class="many">(\d+)</td>', header)]
    assert counts == [len(said[name]) for name in names[:-1]]


def test_a_win_and_an_upset_are_what_annotations_say(study):
    contents = load(study, SURVEY)
    ranking = contents.ranking(HUMAN)
    why = examples_of(contents, ranking, HUMAN)
    entities = {c.conversation_id: c.entities for c in contents.conversations}
    closest = re.match(r"(\S+) and (\S+), the closest two", why.rule).groups()
    assert [example.title.split()[-1] for example in why.shown] == list(closest)
    assert ranking.order.index(closest[0]) < ranking.order.index(closest[1])
    for example, winner in zip(why.shown, closest, strict=True):
        [(conversation, turns)] = example.talks
        assert set(entities[conversation]) == set(closest)
        own = f"entity:{entities[conversation].index(winner)}"
        lead = 0
        for row in contents.judgements:
            if row.source == HUMAN and row.conversation_ids == (conversation,) and row.exchanges == 2:
                sign = 1 if row.target == own else -1
                lead += sign * LEVEL.get(row.answer, 0) * (row.question == "nature")
        assert lead > 0
        assert len(turns) == 4
    page = build_report(study).read_text(encoding="utf-8")
    assert all(f'href="#c-{quote(example.talks[0][0])}"' in page for example in why.shown)


@pytest.mark.parametrize("each", [1, 2])
def test_labels_are_of_all_annotations_of_the_segment(study, each):
    """A segment with one annotation had no labels."""
    contents = load(study, SURVEY)
    given = {}
    for row in contents.kept:
        given.setdefault((row.conversation_ids, row.exchanges), {}).setdefault(row.annotation_id, []).append(row)
    chosen = [rows for by_one in given.values() for rows in [*by_one.values()][:each]]
    vars(contents)["kept"] = [row for rows in chosen for row in rows]
    why = examples_of(contents, contents.ranking(HUMAN), HUMAN)
    assert why.shown
    for example in why.shown:
        for _, called in example.labels:
            counts = [
                1 if times == "once" else int(times.split()[0]) for times in re.findall(r"once|\d+ times", called)
            ]
            assert 1 <= sum(counts) <= each
            assert set(re.findall(r"[a-z]+(?= once| \d)", called)) <= {*LEVEL}


def test_a_comparison_has_its_own_question_answer_and_what_changed(new_study, tmp_path):
    study = new_study(tmp_path / "s", bots=("alice", "eliza"))
    study.record("compare", {"new": "eliza", "old": "alice"})
    page = build_report(study).read_text(encoding="utf-8")
    assert "<h1>Is eliza better than alice?</h1>" in page
    assert re.search(r'<p class="answer">(No|Not known): it wins an estimated', page)
    assert "What changed: model (spotbot:alice → spotbot:eliza)." in page
    assert page.count('<div class="turn side') >= 4
    more = new_study(tmp_path / "more")
    more.record("compare", {"new": "eliza", "old": "alice"})
    assert "Is eliza better" not in build_report(more).read_text(encoding="utf-8")  # others take part


@cases(
    "old new words",
    """
- [{model: "m:a"}, {model: "m:b"}, "What changed: model (m:a → m:b)."]
- [{model: "m:a"}, {model: "m:a", persona: "I am old."}, "What changed: persona."]
- [{model: "m:a", opt: {topk: 1, beam: 2}}, {model: "m:a", opt: {topk: 5, beam: 2}}, "What changed: topk."]
- [{model: "m:a"}, {model_file: "f"}, "What changed: model (m:a → –) and model file (– → f)."]
- [{model: "m:a"}, {model: "m:a"}, "Nothing in their entries differs but the name."]
""",
)
def test_what_changed_between_two_contestants_is_said_in_words(old, new, words):
    plan = Plan("chitchat", {"old": Contestant("old", **old), "new": Contestant("new", **new)}, 1, seed=1)
    assert _changed(plan, "new", "old") == words


def test_where_nobody_was_judged_or_votes_only_there_is_nothing_to_see(new_study, tmp_path):
    contents = load(new_study(tmp_path / "s", sources=("judge:spotter",)), SURVEY)
    assert examples_of(contents, contents.ranking(HUMAN), HUMAN) is None
    assert examples_of(contents, contents.ranking("judge:spotter"), HUMAN) is None


@cases(
    "shares words",
    """
- [[[0.1, 0.05, 0.2], [0.43, 0.3, 0.6]], [a, b]]
- [[[0.1, 0.05, 0.35], [0.43, 0.3, 0.6]], []]
- [[[0.6, 0.5, 0.7], [0.43, 0.3, 0.6]], []]
- [[[0.2, 0.1, 0.3], [0.1, 0.05, 0.15], [0.9, 0.8, 0.95]], [b, c]]
- [[[0.2, null, null], [0.9, 0.8, 0.95]], []]
- [[], []]
""",
)
def test_one_sentence_where_points_and_labels_disagree(shares, words):
    rows = pd.DataFrame(shares, columns=["human_share", "human_share_low", "human_share_high"])
    rows = rows.assign(bot=["a", "b", "c"][: len(shares)], cluster_first=1, cluster_last=len(shares))
    sentence = _disagreement(Ranking(Frames.from_tables({"ranking": rows})))
    if not words:
        assert sentence == ""
    else:
        assert sentence.startswith(f"{words[0]} has more points than {words[1]}, but is less often called human")
