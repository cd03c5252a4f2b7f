"""The game of appendix B: its intervals, what they recover, and the bias of a stopping time that is chosen.

Players are simulated with known hazards (tests/game_players.py).
"""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from computing import analyze
from game_players import Players, play
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot.analysis.annotators import habits as rule
from parlai_spotbot.analysis.annotators.habits import find_habit
from parlai_spotbot.analysis.survival import events, followed_survival, turnbull
from parlai_spotbot.analysis.survival.stopping import explained, stopping_bounds, stopping_test
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.findings.answers import Facts, Options
from parlai_spotbot.findings.compute import tables
from parlai_spotbot.findings.spotting import FORM
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.survey import GameRules

GAME = "spot_the_bot_game"
MANY = {"per_pair": 200, "people": 200, "annotators": 40}
FAIR = Players(**MANY)
SHARED = Players(**MANY, factors=(0.2, 1.8), stopping={0.2: 0.25, 1.8: 0.25})
CHOSEN = Players(**MANY, factors=(0.2, 1.8), stopping={0.2: 0.5, 1.8: 0.03})


def found(players, seed=1, only=("ranking", "survival", "game")):
    """The analysis of what they play, of these findings only."""
    options = {"bots": ["alice", "dr", "blender"], "bootstraps": 15, "backend": "native", "only": only}
    return analyze(*play(players, seed), GAME, **options)


@pytest.fixture(scope="module")
def fair():
    return found(FAIR)


@pytest.fixture(scope="module")
def chosen():
    return found(CHOSEN)


# -- intervals ------------------------------------------------------------------------------------------------------
def test_every_decision_is_an_interval_of_one_exchange():
    judgements, conversations = play(Players(per_pair=4, people=4))
    sources, _ = FORM.sources(judgements, replace(Facts.of(conversations), name=GAME), Options())
    frame = sources[HUMAN].entities
    own = {(j.annotation_id, j.target): j for j in judgements if j.question == "nature"}
    assert len(frame) == len(own)
    for row, event in zip(frame.itertuples(), events(frame).itertuples(), strict=True):
        decided = own[row.annotation_id, f"entity:{row.entity}"]
        k = decided.exchanges
        assert (event.left, event.right) == ((k - 1, k) if decided.answer == "bot" else (k, np.inf))
    with pytest.raises(ValueError, match="column 'since' is 3, expected a number of exchanges from 0 up and below k"):
        events(frame.assign(since=3, k=3))


def test_the_product_limit_is_turnbulls_estimate():
    rng = np.random.default_rng(0)
    for _ in range(20):
        k, spotted = rng.integers(1, 7, 60), rng.random(60) < 0.5
        fit = turnbull(np.where(spotted, k - 1, k), np.where(spotted, k, np.inf), backend="native")
        steps = np.arange(1, k.max() + 1)
        at_risk = (k[:, None] >= steps).sum(axis=0)
        survival = followed_survival((spotted[:, None] & (k[:, None] == steps)).sum(axis=0), at_risk)
        np.testing.assert_allclose(survival, fit.survival(steps), atol=1e-9)
    assert np.isnan(followed_survival([1, 0], [2, 0])).tolist() == [False, True]
    assert followed_survival([2, 0], [2, 0]).tolist() == [0, 0]


# -- what is recovered ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "players", [FAIR, pytest.param(SHARED, marks=pytest.mark.slow)], ids=["one hazard", "appearances differ"]
)
def test_true_survival_is_recovered_where_stopping_says_nothing(players, fair):
    result = fair if players is FAIR else found(players)
    curves = result["survival"]["by_source"]["human"]["curves"]
    for name, curve in curves.items():
        truth = np.array([players.survival(name, k) for k in curve["exchanges"]])
        # Greenwood's standard error; rows of one appearance are alike where its factor is theirs, so a little more.
        steps = np.array(curve["spotted"]) / (np.array(curve["n"]) * (np.array(curve["n"]) - curve["spotted"]))
        se = truth * np.sqrt(np.cumsum(steps)) * 1.3
        assert np.all(np.abs(np.array(curve["survival"]) - truth) < 3.5 * se)
    assert result["game"]["by_source"]["human"]["test"]["p"] > 0.01


def test_the_documented_bias_appears_where_annotators_stop_as_it_looks_human(chosen):
    own = chosen["survival"]["by_source"]["human"]
    for name in ("alice", "dr", "blender"):
        curve = own["curves"][name]
        assert curve["survival"][-1] < CHOSEN.survival(name, curve["exchanges"][-1]) - 0.08
        for k, low, high in zip(curve["exchanges"], curve["bounds"]["low"], curve["bounds"]["high"], strict=True):
            assert low - 0.03 < CHOSEN.survival(name, k) < high + 0.03
    test = chosen["game"]["by_source"]["human"]["test"]
    assert test["p"] < 1e-6
    assert test["difference"] < 0
    assert "Stopping is informative here" in test["sentence"]
    for words in ("informative", "Turnbull", "Cox", "fall too steeply"):
        assert words in own["warning"]
    assert own["warning"] == chosen["game"]["by_source"]["human"]["warning"]


def test_sooner_spotted_is_found_without_strata_of_the_chosen_length(fair):
    own = fair["survival"]["by_source"]["human"]
    signs = {(p["a"], p["b"]): p["statistic"] for p in own["pairs"]}
    assert signs["alice", "dr"] > 0 < signs["dr", "blender"]
    assert all(p["p_adjusted"] < 0.05 for p in own["pairs"])
    assert "within lengths" not in own["test"]


def test_bounds_hold_in_the_worst_cases():
    rng = np.random.default_rng(3)
    spots, stops = rng.integers(1, 8, 200), rng.integers(1, 8, 200)
    spotted = spots <= stops
    k = np.minimum(spots, stops)
    rows = pd.DataFrame({"left": np.where(spotted, k - 1, k), "right": np.where(spotted, k, np.inf), "weight": 1.0})
    steps = np.arange(1, 8)
    bounds = stopping_bounds(rows, steps, Clusters.by(np.arange(200)))
    never, next_ = (np.where(spotted, spots, then) for then in (99, stops + 1))
    np.testing.assert_allclose(bounds["high"], (never[:, None] > steps).mean(axis=0))
    np.testing.assert_allclose(bounds["low"], (next_[:, None] > steps).mean(axis=0))
    ends = [[proportion_confint(200 * bounds[end][i], 200, method="beta") for end in ("low", "high")] for i in range(7)]
    np.testing.assert_allclose(bounds["ci"], np.nan_to_num([[low[0], high[1]] for low, high in ends]), atol=1e-9)
    # An answer "unsure" counts half as spotted, half as not: two rows of one appearance.
    halves = pd.concat([rows.assign(left=k - 1, right=k, weight=0.5), rows.assign(left=k, right=np.inf, weight=0.5)])
    bounds = stopping_bounds(halves, steps, Clusters.by(np.tile(np.arange(200), 2)))
    np.testing.assert_allclose(bounds["low"], ((k[:, None] > steps) + 0.5 * (k[:, None] == steps)).mean(axis=0))
    assert (bounds["ci"][:, 0] <= bounds["low"]).all()


def test_the_test_of_stopping_by_hand():
    """Two annotators an entity; cumulative hazards 1/6, 5/12, 11/12."""
    rows = pd.DataFrame(
        [("a", 1, 0), ("a", 2, 1), ("b", 3, 0), ("b", 3, 1), ("c", 1, 1), ("c", 2, 0)],
        columns=["appearance", "k", "spotted"],
    ).assign(group="x", whole=3, worker_id=list("rstuvw"))
    found = stopping_test(rows.assign(conversation_id=rows["appearance"]))
    assert found.difference == pytest.approx(10 / 11)  # (1/2 + 5/6) / (4/5 + 2/3): after one exchange, and after two
    assert (found.n, found.stopped, found.conversations) == (8, 2, 3)


def test_the_test_of_stopping_keeps_its_level():
    """Where stopping is a coin's toss p is below .1 in a tenth of studies, though appearances differ."""
    rng = np.random.default_rng(5)
    p = []
    for _ in range(120):
        appearance = np.repeat(np.arange(120), 2)
        hazard = np.repeat(rng.choice([0.05, 0.5], 120), 2)
        spots, stops = rng.geometric(hazard), rng.geometric(0.3, 240)
        k = np.minimum(np.minimum(spots, stops), 5)
        rows = pd.DataFrame(
            {
                "group": "x",
                "k": k,
                "spotted": spots <= np.minimum(stops, 5),
                "whole": 5,
                "appearance": appearance,
                "conversation_id": appearance,
                "worker_id": np.concatenate([rng.choice(12, 2, replace=False) for _ in range(120)]),
            }
        )
        p.append(stopping_test(rows).p)
    assert 0.04 < np.mean(np.array(p) < 0.1) < 0.17
    alone = stopping_test(rows.iloc[::2])
    assert np.isnan(alone.p)
    assert alone.n == 0


def test_what_the_opened_exchanges_depend_on(fair):
    depends = fair["game"]["by_source"]["human"]["depends"]
    assert depends["contestant"]["p"] < 0.01
    assert depends["annotator"]["p"] > 0.01
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 20)
    values = rng.normal(size=600) + 2 * rng.normal(size=30)[groups]
    share = explained(values, groups, np.zeros(600), rng)
    assert share["share"] == pytest.approx(0.8, abs=0.12)
    assert share["p"] == 0.001
    assert np.isnan(explained(values, np.zeros(600), np.zeros(600), rng)["share"])


# -- players ----------------------------------------------------------------------------------------------------------
HABITS = Players(per_pair=60, people=60, annotators=14, at_once=2, open_all=1, controls=True)


@pytest.fixture(scope="module")
def played():
    return found(HABITS, only=()), play(HABITS, 1)


def test_habits_are_found_and_listed_with_and_without(played):
    own = played[0]["game"]["by_source"]["human"]
    flagged = {h: [w for w, e in f["annotators"].items() if e["flagged"]] for h, f in own["habits"].items()}
    assert flagged == {"decides at once": ["w00", "w01"], "opens everything": ["w02"]}
    for habit in own["habits"].values():
        assert habit["false_alarms"]["studies"] < 0.05
        assert "at least 80%" in habit["rule"]
    guess = own["habits"]["decides at once"]["annotators"]["w00"]
    assert guess["share"] == guess["first_decision_at_once"] == 1
    assert abs(guess["accuracy_bots"] - 0.5) < 0.2
    assert list(own["without"]) == ["nobody", "decides at once", "opens everything", "both habits"]
    everybody, rest = own["without"]["nobody"], own["without"]["decides at once"]
    assert rest["annotators"] == 2
    assert rest["n"] + rest["annotations"] == everybody["n"]
    assert rest["accuracy"] > everybody["accuracy"]
    people = [next(row for row in entry["bots"] if row["name"] == HUMAN) for entry in (everybody, rest)]
    assert people[1]["pass_first"] > people[0]["pass_first"] + 0.03  # guesses had made people look like bots
    curves = played[0]["survival"]["by_source"]["human"]["curves"]
    for row in everybody["bots"]:
        assert row["pass_first"] == pytest.approx(curves[row["name"]]["survival"][0])
        assert row["pass_last"] == pytest.approx(curves[row["name"]]["survival"][-1])
    annotators = played[0]["annotators"]["by_source"]["human"]
    assert "decides at once" in annotators["annotators"]["w00"]["flags"]
    assert annotators["without"]["decides at once"]["annotators"] == 2


def test_points_and_places_are_those_of_the_rules(played):
    result, (judgements, conversations) = played
    own = result["game"]["by_source"]["human"]
    truth = {c.conversation_id: ["human" if human else "bot" for human in c.is_human] for c in conversations}
    earned, known = {}, {"known_human": ("human", "human"), "known_bot:1": ("human", "bot")}
    for j in judgements:
        if j.question == "nature":
            kinds = known[j.control] if j.control else truth[j.conversation_ids[0]]
            worth = points(GameRules(), kinds[int(j.target[-1])], j.answer, j.exchanges)
            earned[j.worker_id] = earned.get(j.worker_id, 0) + worth
    board = own["leaderboard"]
    assert {row["worker_id"]: row["points"] for row in board} == earned
    assert [row["points"] for row in board] == sorted(earned.values(), reverse=True)
    assert own["bonus"]["annotators"] == [w for w in earned if earned[w] == max(earned.values())]
    assert [row["worker_id"] for row in board if row["bonus"]] == own["bonus"]["annotators"]
    for row in board:
        assert row["right"] + row["wrong"] + row["unsure"] == row["decisions"]


def test_equal_points_share_a_place_and_the_bonus():
    judgements, conversations = play(Players(per_pair=6, people=6, annotators=2, stopping={1.0: 0.0}))
    twins = [j for j in judgements if j.worker_id == "w00"]
    rows = twins + [replace(j, worker_id="w01", annotation_id=f"b{j.annotation_id}") for j in twins]
    own = analyze(rows, conversations, GAME, bootstraps=5, backend="native")["game"]["by_source"]["human"]
    assert [row["rank"] for row in own["leaderboard"]] == [1, 1]
    assert own["bonus"]["annotators"] == ["w00", "w01"]


def test_controls_count_for_points_but_never_as_data(played):
    result = played[0]
    left_out = result["ranking"]["made_by"]["left_out"]["human"]
    annotators = result["annotators"]["by_source"]["human"]
    gone = annotators["annotators"]["w13"]["n"]
    assert left_out == {"control": 28, "annotation by somebody who missed more than 1 control": gone}
    assert annotators["controls"]["failed"] == ["w13"]
    assert annotators["annotators"]["w13"]["missed_controls"] == 2
    assert annotators["annotators"]["w13"]["left_out"] == "missed more than 1 control"
    assert annotators["with_everybody"]["sentence"].startswith("With everybody's annotations the order is ")
    game = result["game"]["by_source"]["human"]
    assert "w13" in {row["worker_id"] for row in game["leaderboard"]}  # who earned points earned them
    assert all("w13" not in habit["annotators"] for habit in game["habits"].values())
    assert game["without"]["nobody"]["n"] == result["ranking"]["made_by"]["used"]["human"]
    assert game["accuracy"]["n"] == 2 * game["without"]["nobody"]["n"]


# -- the rule on habits -----------------------------------------------------------------------------------------------
def test_the_rule_raises_few_false_alarms_and_misses_few():
    rng = np.random.default_rng(7)
    alarms, hits = [], []
    for seed in range(16):
        items = rng.integers(20, 60, 20)
        shares = rng.beta(6, 9, 20)
        counts = rng.binomial(items, shares)
        alarms.append(find_habit(counts, items, rng=np.random.default_rng(seed), simulations=2).flagged.any())
        counts[:4] = items[:4]
        hits.append(find_habit(counts, items, rng=np.random.default_rng(seed), simulations=2).flagged[:4].mean())
    assert np.mean(alarms) <= 0.1
    assert np.mean(hits) > 0.7


def test_the_rule_says_when_there_is_nobody_to_compare_with():
    none = find_habit([20, 20, 1], [20, 20, 20], rng=np.random.default_rng(0))
    assert "fewer than 3 annotators" in none.why
    assert not none.flagged.any()
    few = find_habit([5] * 6, [5] * 6, rng=np.random.default_rng(0))
    assert np.isnan(few.p).all()
    with pytest.raises(ValueError, match="counts: row 1 is 9, expected 0 to 8"):
        find_habit([1, 9], [8, 8], rng=np.random.default_rng(0))
    # Who has the other habit is not among those who are compared with.
    counts, items = np.array([30] + [12] * 8 + [0] * 6), np.full(15, 30)
    apart = counts == 0
    with_, without = (
        find_habit(counts, items, rng=np.random.default_rng(0), apart=own) for own in (np.zeros(15, bool), apart)
    )
    assert without.p[0] < with_.p[0]
    assert without.typical == pytest.approx(0.4, abs=0.04)
    assert rule.LEAST_SHARE == 0.8


# -- as a whole -------------------------------------------------------------------------------------------------------
def test_all_files_and_tables_are_there(played):
    result = played[0]
    assert set(result) == {
        "needs",
        "ranking",
        "survival",
        "features",
        "agreement",
        "annotators",
        "time",
        "order",
        "game",
        "examples",
    }
    json.dumps(result, allow_nan=False)
    names = set(tables(GAME, result))
    assert {
        "ranking",
        "game_leaderboard",
        "game_habits",
        "game_without",
        "game_opened",
        "game_survival_bounds",
    } <= names
    agreement = result["agreement"]["by_source"]["human"]
    assert agreement["krippendorff_alpha"]["nature"]["alpha"] is not None  # by item, whatever was opened


def test_a_judge_sees_everything_and_plays_no_game():
    judgements, conversations = play(Players(per_pair=10, people=10))
    judge = [replace(j, source="judge:quick", worker_id="v", exchanges=5, annotation_id=j.item_id) for j in judgements]
    result = analyze(judgements + judge, conversations, GAME, bootstraps=10, backend="native")
    own = result["survival"]["by_source"]["judge:quick"]
    assert "bounds" not in own["curves"]["alice"]
    assert "warning" not in own
    assert own["curves"]["alice"]["exchanges"] == [5]
    assert "plays no game" in result["game"]["by_source"]["judge:quick"]["why"]
    assert result["trust"]["by_source"]["judge:quick"]["items"] == 40
    assert "human" not in result["trust"]["by_source"]


def test_segments_of_fixed_length_are_analysed_as_ever(made_up):
    """The same rows by the survey with segments: no bounds, no warning, strata of lengths."""
    own = analyze(*made_up(sources=("human",)), bootstraps=5, backend="native")
    survival = own["survival"]["by_source"]["human"]
    assert "warning" not in survival
    assert "within lengths" in survival["test"]
    assert own["annotators"]["by_source"]["human"]["controls"]["answered"] == 0
