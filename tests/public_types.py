"""What a user's type checker sees of the public names; `test_public_types.py` has pyright check it."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import parlai_spotbot as sb
from parlai_spotbot.analysis import agreement, survival
from parlai_spotbot.analysis.uncertainty.clusters import Clusters


def of_a_study() -> dict[str, pd.DataFrame]:
    def mine(history: list[str]) -> str:
        return history[-1]

    served = sb.openai("http://127.0.0.1:8000/v1", "m", key="KEY", temperature=0.5)
    study: sb.Study = sb.selfplay({"mine": mine, "served": served, "el": "spotbot:eliza"}, study="x", segments=[2])
    sb.pack(study)
    sb.judge_study(study, "spot_the_bot")
    sb.analyze(study)["ranking"].get("by_source")
    sb.report(study).read_text()
    sb.plan(sb.PlanRequest(), study)
    answers = study.answers().of("human")
    axes: Axes = sb.rank(answers, bootstraps=10).plot("ranking")
    axes.set_title(sb.survival(answers).sentences[0])
    sb.finding(answers, "segments", bootstraps=10).plot("segments")
    sb.trust(sb.demo().answers(), judge="spotter").frames["agreement"]
    return sb.agreement(sb.read_votes("votes.csv", columns={"a": "left"})).tables


def of_arrays(frame: pd.DataFrame) -> float:
    left, right = np.array([0.0, 2.0]), frame["right"]
    fit = sb.analysis.survival.turnbull(left, right, weights=frame["n"])
    survival.logrank(left, right, frame["bot"], clusters=frame["worker"])
    survival.logrank_pairs(left, right, ["a", "b"])
    survival.cox(left, right, frame[["x"]], "ph", clusters=frame["worker"])
    survival.parametric(left, right, frame[["x"]])
    clusters = Clusters.by(frame["conversation"], frame["worker"])
    agreement.krippendorff_alpha(frame["unit"], frame["value"], clusters)
    return float(fit.survival(2.0)) + float(fit.survival([1, 2])[0]) + fit.median
