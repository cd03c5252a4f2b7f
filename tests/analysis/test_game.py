"""The game of appendix B: its intervals, what they recover, and the bias of a stopping time that is chosen.

Players are simulated with known hazards (tests/game_players.py).
"""

from dataclasses import replace

import numpy as np
import pytest

from parlai_spotbot.analysis.survival import events, followed_survival, turnbull
from parlai_spotbot.findings.answers import Facts, Options
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.spotting import FORM, game
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.survey import GameRules
from tests.analysis.computing import analyze
from tests.game_players import Players, play

GAME = "spot_the_bot_game"
MANY = {"per_pair": 200, "people": 200, "annotators": 40}
FAIR = Players(**MANY)
SHARED = Players(**MANY, factors=(0.2, 1.8), stopping={0.2: 0.25, 1.8: 0.25})
CHOSEN = Players(**MANY, factors=(0.2, 1.8), stopping={0.2: 0.5, 1.8: 0.03})


def found(players, seed=1, only=("ranking", "survival", "game")):
    """The analysis of what they play, of these findings only."""
    options = {"bots": ["alice", "dr", "blender"], "bootstraps": 15, "backend": "native", "only": only}
    return analyze(*play(players, seed), GAME, asked=get_survey(GAME), **options)


@pytest.fixture(scope="module")
def fair():
    return found(FAIR)


@pytest.fixture(scope="module")
def chosen():
    return found(CHOSEN)


# -- intervals ------------------------------------------------------------------------------------------------------
def test_every_decision_is_an_interval_of_one_exchange():
    judgements, conversations = play(Players(per_pair=4, people=4))
    sources, _ = FORM.sources(judgements, Facts.from_records(get_survey(GAME), conversations), Options())
    frame = sources[HUMAN].entities
    own = {(j.annotation_id, j.target): j for j in judgements if j.question == "nature"}
    assert len(frame) == len(own)
    for row, event in zip(frame.itertuples(), events(frame).itertuples(), strict=True):
        decided = own[row.annotation_id, f"entity:{row.entity}"]
        k = decided.exchanges
        assert (event.left, event.right) == ((k - 1, k) if decided.answer == "bot" else (k, np.inf))
    with pytest.raises(ValueError, match="column 'since': row 0 is 3, expected a number of exchanges from 0 up"):
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
    curves = result["survival"]["by_source"]["human"]["curves"].infer_objects()
    for name, curve in curves.groupby("bot"):
        truth = np.array([players.survival(name, k) for k in curve["exchanges"]])
        # Greenwood's standard error; rows of one appearance are alike where its factor is theirs, so a little more.
        steps = curve["spotted"] / (curve["n"] * (curve["n"] - curve["spotted"]))
        se = truth * np.sqrt(np.cumsum(steps)) * 1.3
        assert np.all(np.abs(np.array(curve["survival"]) - truth) < 3.5 * se)


def test_the_documented_bias_appears_where_annotators_stop_as_it_looks_human(chosen):
    own = chosen["survival"]["by_source"]["human"]
    last = own["curves"].groupby("bot").last()
    for name in ("alice", "dr", "blender"):
        assert last.loc[name, "survival"] < CHOSEN.survival(name, last.loc[name, "exchanges"]) - 0.08
    for words in ("informative", "fall too steeply"):
        assert words in own.one("whole")["warning"]


# -- players ----------------------------------------------------------------------------------------------------------
PLAYERS = Players(per_pair=60, people=60, annotators=14, controls=True)


@pytest.fixture(scope="module")
def played():
    return found(PLAYERS, only=()), play(PLAYERS, 1)


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
    board = own.rows("leaderboard")
    assert {row["worker_id"]: row["points"] for row in board} == earned
    assert [row["points"] for row in board] == sorted(earned.values(), reverse=True)
    assert [row["worker_id"] for row in board if row["bonus"]] == [
        w for w in earned if earned[w] == max(earned.values())
    ]
    [said] = game.summarise(Result(HUMAN, own))
    assert said == f"With {board[0]['points']:.0f} points {board[0]['worker_id']} leads and gets the bonus."


def test_controls_count_for_points_but_never_as_data(played):
    result = played[0]
    left_out = result["ranking"]["made_by"]["left_out"]["human"]
    annotators = result["annotators"]["by_source"]["human"]
    careless = annotators["annotators"].set_index("worker_id").loc["w13"]
    gone = careless["n"]
    assert left_out == {"control": 28, "annotation by somebody who missed more than 1 control": gone}
    assert annotators.one("controls")["failed"] == ["w13"]
    assert careless["missed_controls"] == 2
    assert careless["left_out"] == "missed more than 1 control"
    assert annotators.one("with_everybody")["sentence"].startswith("With everybody's annotations the order is ")
    game = result["game"]["by_source"]["human"]
    assert "w13" in set(game["leaderboard"]["worker_id"])  # who earned points earned them


# -- as a whole -------------------------------------------------------------------------------------------------------


def test_a_judge_sees_everything_and_plays_no_game():
    judgements, conversations = play(Players(per_pair=10, people=10))
    judge = [replace(j, source="judge:quick", worker_id="v", exchanges=5, annotation_id=j.item_id) for j in judgements]
    result = analyze(judgements + judge, conversations, GAME, asked=get_survey(GAME), bootstraps=10, backend="native")
    own = result["survival"]["by_source"]["judge:quick"]
    assert own.one("whole")["warning"] is None
    assert own["curves"].set_index("bot").loc[["alice"], "exchanges"].tolist() == [5]
    assert "plays no game" in result["game"]["by_source"]["judge:quick"].one("whole")["why"]
    assert result["trust"]["by_source"]["judge:quick"].one("whole")["items"] == 40
    assert "human" not in result["trust"]["by_source"]
