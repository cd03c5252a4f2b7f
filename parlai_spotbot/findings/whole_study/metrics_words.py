"""The sentences of the section on metrics, and how its figures were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parlai_spotbot.findings.whole_study.methods import title
from parlai_spotbot.wording import interval, listed, number, percent, plainly

LITTLE = 0.005
"""A change of R² below this is none."""

FEW_TALKS, FEW_PEOPLE, FEW_TWICE = 100, 10, 30


@dataclass(frozen=True)
class Outcome:
    short: str
    long: str
    measure: str
    axis: str
    rows: str


OUTCOMES = {
    "rating": Outcome(
        "people's ratings",
        "the rating that people gave a conversation which they led themselves",
        "R²",
        "share of differences explained (R²)",
        "rated conversations",
    ),
    "choice": Outcome(
        "people's choices",
        "which of their two conversations people found better",
        "pseudo-R²",
        "share of uncertainty explained (pseudo-R²)",
        "pairs of conversations",
    ),
}

IMPORTANCE = {
    "rating": "Least squares on one metric at a time; nobody's own answers are on both sides. Intervals draw the "
    "people who led conversations (conversations, where these people are fewer than ten). p: F-test; clustered p: "
    "sandwich estimate by those people, Student's t; Holm's correction over all metrics of the source.",
    "choice": "Logistic regression on the difference between both conversations, ties left out; McFadden's pseudo-R². "
    "Intervals and clustered p as for ratings; p: likelihood-ratio test.",
}
INTERPRETABILITY = (
    "Alpha is nominal for labels, ordinal for ratings and choices (“neither” lies between). "
    "Intervals are over conversations and annotators."
)
SENSITIVITY = (
    "Every metric gets the same number of conversations: as many as the least of any has. They are drawn without "
    "replacement, many times; the paper drew once. Labels and ratings: Welch's t-test of the conversations' means; "
    "choices: the exact sign test. The paper's tests: two proportions on turns, Welch's t on ratings, the sign test."
)
COVERAGE = (
    "Backward removal by beam search, 100 sets of each size kept; adjusted R², or McFadden's pseudo-R² less one for "
    "each metric. Conversations that lack one of the metrics are left out. Fewer metrics than conversations are needed."
)
PRICE = (
    "All sets of tasks are tried. Ridge regression, five folds that keep each person's conversations together, "
    "repeated five times; intervals draw people. Overall quality ratings are left out of what explains."
)


def named(row: dict) -> str:
    """A metric in a sentence: "self contradiction (ABC-Eval)"."""
    return f"{plainly(row['name'])} ({title(row['method'])})"


def of_task(task: str) -> str:
    """A task's name: "ABC-Eval: consistency", or the survey's."""
    survey, _, own = task.partition(":")
    return f"{title(survey)}: {plainly(own).replace('+', ', ')}" if own else title(survey)


def short(why: str) -> str:
    """What is wrong with a fit, in few words."""
    words = {
        "the same value": "doesn't vary",
        "without a single error": "separates",
        "too few": "too few rows",
        "the same everywhere": "outcome doesn't vary",
        "no value": "not judged",
    }
    return next((said for part, said in words.items() if part in why), why)


def outcome_of(found: dict) -> str:
    return OUTCOMES[found["outcome"]].short


def lead(own: dict[str, dict]) -> str:
    """What the section is about."""
    metrics = own["sensitivity"]["metrics"]
    methods = [title(method) for method in dict.fromkeys(row["method"] for row in metrics)]
    return (
        "A metric is worth its money if people mean the same by it, if it knows something of how good a conversation "
        "was to those who led it, if it tells bots apart, and if it says what cheaper ones don't. "
        f"{some(len(metrics), 'metric')} of {listed(methods)} {'is' if len(metrics) == 1 else 'are'} looked at here."
    )


def some(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def cautions(own: dict[str, dict]) -> list[str]:
    """What a small study can't say."""
    text = []
    part = own["importance"]["rating"]
    if part.get("why") and own["importance"]["choice"].get("why"):
        text.append(f"Nothing is known of importance and coverage: {part['why']}.")
    elif part["n"] and part["n"] < FEW_TALKS:
        text.append(
            f"Take care: {part['n']} rated conversations are few. With them a metric that explains less than about "
            f"{percent(8 / part['n'])} is easily missed, and what comes out as best explains less elsewhere."
        )
    if 0 < part["interactors"] < FEW_PEOPLE:
        text.append(f"Only {part['interactors']} people led conversations: clustered p-values mean little.")
    twice = [row["conversations"] for row in own["interpretability"]["metrics"] if row["conversations"]]
    if not twice:
        text.append("Nothing was judged twice, so nothing is known of agreement.")
    elif min(twice) < FEW_TWICE:
        text.append(
            f"Of some metrics only {min(twice)} conversations were judged twice; their alphas may well be chance."
        )
    sample, of = own["sensitivity"]["sample"], own["sensitivity"].get("least")
    if of and 0 < sample < FEW_TWICE:
        text.append(f"Sensitivity is compared at {sample} conversations a bot, since {title(of)} has no more.")
    return text


def coverage_text(own: dict[str, dict]) -> list[str]:
    """Of each method: which metrics can go, and how many are enough."""
    text = []
    for method, found in own["coverage"]["rating"]["methods"].items():
        steps = [step for step in found.get("steps", []) if step["adjusted"] is not None]
        if found.get("why"):
            text.append(f"{title(method)}: {found['why']}.")
            continue
        if len(steps) < 2:
            continue
        best = max(step["adjusted"] for step in steps)
        enough = next(step for step in reversed(steps) if step["adjusted"] >= best - LITTLE)
        gone = [step["removed"] for step in steps if len(step["metrics"]) > len(enough["metrics"])]
        kept = listed([plainly(name) for name in enough["metrics"]])
        if gone:
            text.append(
                f"{title(method)}: {len(enough['metrics'])} of {len(steps[0]['metrics'])} metrics explain as much of "
                f"people's ratings as all do (adjusted R² {number(enough['adjusted'], 3)}): {kept}."
            )
        else:
            text.append(
                f"{title(method)}: each of its {len(steps)} metrics adds something (adjusted R² "
                f"{number(enough['adjusted'], 3)} together)."
            )
    return text


def price_said(found: dict) -> str:
    """The cheapest and the best set, and what is nearly as good."""
    sets = found["sets"]
    if not sets:
        return "No set of tasks foretells quality better than its mean does."
    best = sets[-1]
    near = next(row for row in sets if row["r2"] >= 0.9 * best["r2"])
    text = f"The best set, {of_tasks(best['tasks'])}, foretells {percent(best['r2'])} ({interval(best['ci'])})"
    text += f" of the differences for {_cost(best, found)}"
    if near is not best:
        text += f"; {of_tasks(near['tasks'])} comes to {percent(near['r2'])} for {_cost(near, found)}"
    return text + "."


def of_tasks(tasks: Sequence[str]) -> str:
    """Several tasks, each survey named once: "ABC-Eval (consistency, empathy) and Dialogue Likert"."""
    by: dict[str, list[str]] = {}
    for task in tasks:
        survey, _, own = task.partition(":")
        by.setdefault(survey, []).extend([plainly(own).replace("+", ", ")] if own else [])
    return listed([f"{title(survey)} ({', '.join(own)})" if own else title(survey) for survey, own in by.items()])


def _cost(row: dict, found: dict) -> str:
    return f"{row['cost']:,.0f} hours" if found["unit"] == "hours" else f"{row['cost']:,.0f}"


def recommended(own: dict[str, dict]) -> list[str]:
    """What to buy, where a budget was given, and what the paper's set comes to."""
    found, text = own["recommendation"], []
    if found.get("why"):
        return [f"What to buy can't be said: {found['why']}."]
    best = found.get("recommended")
    if best:
        text.append(
            f"For a budget of {found['budget']:,.0f}: {of_tasks(best['tasks'])} ({_cost(best, found)}), which "
            f"foretells {percent(best['r2'])} ({interval(best['ci'])}) of the differences in "
            f"{outcome_of(found)}; the best choice in {percent(best['chosen'])} of samples drawn anew."
        )
        if found.get("alike"):
            text.append(
                f"As good, as far as these data can tell, and cheaper: {of_tasks(found['alike']['tasks'])} "
                f"({_cost(found['alike'], found)})."
            )
    elif found.get("budget") and "cheapest" in found:
        text.append(f"Nothing can be had for {found['budget']:,.0f}; the cheapest task costs {found['cheapest']:,.0f}.")
    elif found.get("nothing"):
        text.append(f"{found['nothing'].capitalize()}.")
    preset = found.get("presets", {}).get("paper_final")
    if preset:
        text.append(f"The final set of ABC-Eval's authors (nine behaviours) foretells {percent(preset['r2'])}.")
    return text
