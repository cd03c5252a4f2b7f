"""Next-Utterance Classification by models: how the contestants rank, the curve, and whether other methods agree.

Results are in ``STUDY/nuc/analysis/*.json``; the study's report and a page of its own show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot import checksums
from parlai_spotbot.analysis.agreement import order_agreements
from parlai_spotbot.analysis.values import plain, with_ends
from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.frames import Frames, best_rows, frame_of
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.nuc.results import notes, way_said
from parlai_spotbot.nuc.scoring.scores import WAY_TITLES
from parlai_spotbot.wording import filled, listed, pairs_apart, percent, source_said

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

METHOD = "nuc"

Results = Mapping[str, dict]


def read_results(folder: Path) -> dict[str, dict]:
    """The results by name of file; {} where there are none."""
    if not (folder / "ranking.json").is_file():
        return {}
    remedy = "Run the same spotbot_nuc command again."
    return {path.stem: checksums.read_json(path, "file of results", remedy) for path in sorted(folder.glob("*.json"))}


# -- agreement with other methods ----------------------------------------------------------------------------------
def agreement_of(surveys: Sequence[SurveyData], ranking: Mapping) -> dict:
    """Measure how far the order by Recall@k agrees with that of each of a study's surveys, by source."""
    measure = f"recall@{ranking['k'][0]}"
    rows = []
    for contents in surveys:
        survey = contents.survey
        for standing in standings(contents):
            if standing.criterion or not set(standing.ranking.order) & set(ranking["order"]):
                continue
            recall = {row["contestant"]: row[measure]["estimate"] for row in _main(ranking["contestants"])}
            for row in order_agreements([(METHOD, "", recall), (survey, "", standing.ranking.scores)]):
                about = {"survey": survey, "source": standing.source, "what": standing.ranking.score_title}
                rows.append(about | {key: row[key] for key in ("contestants", "n", "tau")})
    return plain({"measure": measure, "surveys": rows})


def write_agreement(folder: Path, surveys: Sequence[SurveyData]) -> None:
    """Compute again how far the models' order, in a `folder` of results, agrees with the surveys', one of which was
    analysed again."""
    results = read_results(folder)
    if results:
        ranking = results["ranking"]
        checksums.write_json(folder / "agreement.json", agreement_of(surveys, ranking))


# -- findings --------------------------------------------------------------------------------------------------------
def with_rows(results: Results) -> Frames:
    """Return the frames that tables and charts show, and the `ranking` as a row; none of no results."""
    if not results:
        return Frames()
    ranking = results["ranking"]
    chance = ranking["chance"]
    recall = f"recall@{ranking['k'][0]}"
    main = [{"contestant": row["contestant"], **_share("recall", row[recall])} for row in _main(ranking["contestants"])]
    shown = []
    for row in (*ranking["contestants"], *ranking.get("corpora", [])):
        shown.append({**row, "way": way_said(row), "corpus": row.get("corpus")})
        for measure in chance:
            shown[-1] |= _share(measure, row[measure])
    surveys = results.get("agreement", {}).get("surveys", [])
    trivial = [{"contestant": "guessing", **chance}]
    least = [{"contestant": "guessing", "recall": chance[recall]}]
    if reference := ranking.get("reference"):
        shares = [_share(measure, reference[measure]) for measure in chance]
        about = {"contestant": reference["contestant"], "way": WAY_TITLES[reference["way"]], "n": reference["n"]}
        trivial.insert(0, {**about, **{name: value for share in shares for name, value in share.items()}})
        least.insert(0, {"contestant": reference["contestant"], **_share("recall", reference[recall])})
    rows = {
        "main": [*main, *least],
        "contestants": [*shown, *trivial],
        "surveys": [{**survey, "source": source_said(survey["source"])} for survey in surveys],
        "points": _points(results["curve"]),
        "ranking": [ranking],
    }
    return Frames.from_tables({name: frame_of(records) for name, records in rows.items()})


def _main(rows: Iterable[Mapping]) -> list[Mapping]:
    """Return the rows of the way that stands for each contestant."""
    return [row for row in rows if row["main"]]


def _share(name: str, share: Mapping) -> dict:
    """Return a share and its interval as three columns."""
    return with_ends({name: share["estimate"], "ci": share["ci"]}, name)


def _points(curve: Mapping) -> Iterator[dict]:
    main = _main(curve["curves"])
    for row in main:
        yield from ({"contestant": row["contestant"], **with_ends(point, "estimate")} for point in row["points"])
    for size in sorted({point["candidates"] for row in main for point in row["points"]}):
        yield {"contestant": "guessing", "candidates": size, "estimate": 1 / size}


def read(surveys: Sequence[SurveyData]) -> dict[str, Frames]:
    """Return what spotbot_nuc found; the agreement with surveys is that of their latest analysis."""
    frames = with_rows(read_results(surveys[0].study.path / "nuc" / "analysis"))
    if not frames:
        return {}
    return {"": frames}


def question_sentence(ranking: Mapping) -> str:
    """Return what was asked, in a sentence."""
    questions = ranking["questions"]
    sizes = questions["candidates"]
    many = f"{sizes[0]} to {sizes[-1]}"
    if len(sizes) == 1:
        many = str(sizes[0])
    text = "{n} questions of {conversations} conversations"
    if questions.get("corpus"):
        text += ", from {corpus}"
    if questions.get("distractors"):
        text += " (false candidates are {distractors})"
    text += ": which of {0} candidates is the real next turn? Guessing finds it in {1:percent_1}."
    return filled(text, many, ranking["chance"][f"recall@{ranking['k'][0]}"], **questions)


def _summarise(result: Result) -> list[str]:
    """Return what was asked, who finds the real next turn most often, and what else to know of the figures."""
    ranking = result.one("ranking")
    measure = f"recall@{ranking['k'][0]}"
    main = _main(ranking["contestants"])
    chance = ranking["chance"][measure]
    beaten = listed(row["contestant"] for row in main if (row[measure]["ci"][0] or 0) > chance)
    text = "{0[contestant]} finds the real next turn most often: in {1[estimate]:percent_1} ({1[ci]:interval_1})."
    reference = ranking.get("reference")
    if reference and main[0]["contestant"] in {*reference["replying"]} - {*reference["ahead"]}:
        text = (
            "{0[contestant]} comes first with {1[estimate]:percent_1} ({1[ci]:interval_1}), but its replies aren't "
            "shown to do better than {3[contestant]}, {3[recall][estimate]:percent_1}."
        )
        reference = {**reference, "recall": reference[measure]}
    if beaten:
        text += " Better than guessing by more than chance: {2}."
    else:
        text = (
            "No contestant is better than guessing by more than chance: the first, {0[contestant]}, finds the real "
            "next turn in {1[estimate]:percent_1} ({1[ci]:interval_1}), guessing in {4:percent_1}."
        )
    asked = question_sentence(ranking)
    pairs = [row for row in ranking["comparisons"] if row["measure"] == measure]
    if pairs:
        differ = pairs_apart(sum(map(clear, pairs)), len(pairs))
        asked += f" {differ} by more than chance (paired by question, Holm-corrected)."
    answer = filled(text, main[0], main[0][measure], beaten, reference, chance)
    return [answer, asked, " ".join(notes(ranking))]


def _curve(result: Result) -> list[str]:
    """Return who is first among most candidates."""
    points = [row for row in result.rows("points") if row["contestant"] != "guessing"]
    most = max(point["candidates"] for point in points)
    last = [point for point in points if point["candidates"] == most]
    best = best_rows(last, "estimate")[0]
    digits = 2 if most > 100 else 1
    share = percent(best["estimate"], digits)
    return [f"Among {most} candidates {best['contestant']} finds the real next turn in {share}."]


NUC = declared(__file__, None, read, _summarise, part="nuc")
CURVE = declared(__file__, None, read, _curve, part="nuc_curve")
FINDINGS = (NUC, CURVE)
