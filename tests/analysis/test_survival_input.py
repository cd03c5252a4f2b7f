"""What the public functions of survival analysis refuse, in words that name the argument and what was expected."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis import survival
from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from tests.case_tables import case_table

INTERVALS = {"left": [0, 2, 0, 2], "right": [2, np.inf, 2, np.inf]}
GROUPS = INTERVALS | {"group": list("aabb")}
ENTITY = {"name": "BR", "k": 2, "nature": "bot", "conversation_id": "c", "worker_id": "w", "fluency": 0}
ARGUMENTS = {
    "turnbull": INTERVALS,
    "cox": INTERVALS | {"X": [0.0, 1, 1, 0]},
    "parametric": INTERVALS | {"X": [0.0, 1, 1, 0]},
    "logrank": GROUPS,
    "logrank_pairs": GROUPS,
    "current_status_survival": {"spotted": [1, 2], "total": [3, 4]},
    "followed_survival": {"spotted": [1, 2], "at_risk": [4, 3]},
    "events": {"entities": pd.DataFrame([ENTITY]), "features": ["fluency"]},
}
VALUES = {
    "ragged": [[1, 2], [3]],
    "flat": np.ones((4, 2)),
    "dates": np.array(["2020-01-01"] * 4, dtype="M8[D]"),
    "frame": pd.DataFrame({"a": [1, 2, 3, 4]}),
    "replicates": ClusterBootstrap(np.arange(9), rng=np.random.default_rng(0), replicates=2),
}


@case_table(__file__, "refused")
def test_refused(monkeypatch, functions, argument, value, error):
    """A value that is a key of `VALUES` is what stands there."""
    monkeypatch.setattr(icenreg, "unusable", lambda: "")
    value = VALUES.get(value, value) if isinstance(value, str) else value
    for function in functions.split():
        options = {"backend": "native"} if function in ("turnbull", "cox", "logrank") else {}
        with pytest.raises(ValueError, match=f"^{error}"):
            getattr(survival, function)(**(ARGUMENTS[function] | options | {argument: value}))


@case_table(__file__, "methods")
def test_methods_refuse(method, value, error):
    fits = (survival.turnbull(**INTERVALS, backend="native"), survival.cox(**ARGUMENTS["cox"], backend="native"))
    fit = fits[method == "interval"]
    with pytest.raises(ValueError, match=f"^{error}"):
        getattr(fit, method)(value)


def test_every_public_function_is_in_the_table():
    named = {name for name in survival.__all__ if name.islower()}
    assert named == set(ARGUMENTS)
