"""What trust.json holds of one judge as rows of flat tables, for CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from parlai_spotbot.findings.finding import two_ends

AGREEMENT = ("measure", "n", "pairs", "agree", "people_agree", "people_pairs", "alpha", "people_alpha", "difference")
ENDS = ("agree", "people_agree", "alpha", "people_alpha", "difference")


def trust_rows(own: Mapping) -> Iterator[tuple[str, dict]]:
    """(table, row): trust, trust_confusion, trust_answers, trust_ranks, trust_scores, trust_biases, trust_savings,
    trust_means."""
    levels = (own.get("verdict") or {}).get("questions", {})
    for question, entry in own.get("questions", {}).items():
        row = {"question": question, **{key: entry[key] for key in AGREEMENT}}
        for name in ENDS:
            row |= two_ends(name, entry[f"{name}_ci"])
        yield "trust", row | {"verdict": levels.get(question, {}).get("level")}
        yield from _answers(question, entry)
    for criterion, entry in own.get("ranks", {}).items():
        yield "trust_ranks", _ranks(criterion, entry)
        for source, scores in entry.get("scores", {}).items():
            for name, score in scores.items():
                row = {"criterion": criterion, "given_by": source, "contestant": name, "score": score["estimate"]}
                yield "trust_scores", row | two_ends("", score["ci"])
    yield from _biases(own)
    for criterion, entry in own.get("savings", {}).items():
        safe = entry["prediction_powered"]
        for by, own_saved in (("prediction-powered", safe.get("saved", {})), ("model", entry.get("saved", {}))):
            for name, found in own_saved.items():
                row = {"criterion": criterion, "by": by, "further_ratings": name, "ratings": found["ratings"]}
                row |= {"saved": found["estimate"], **two_ends("", found["ci"]), "annotations": found["annotations"]}
                yield "trust_savings", row
        for mean in safe.get("means", []):
            ends = {key: end for name in ("people", "both") for key, end in two_ends(name, mean[f"{name}_ci"]).items()}
            row = {key: value for key, value in mean.items() if not key.endswith("_ci")}
            yield "trust_means", {"criterion": criterion, "power": safe["power"]} | row | ends


def _answers(question: str, entry: Mapping) -> Iterator[tuple[str, dict]]:
    confusion = entry["confusion"]
    for i, judge in enumerate(confusion["answers"]):
        for j, person in enumerate(confusion["answers"]):
            row = {"question": question, "judge": judge, "people": person, "n": confusion["counts"][i][j]}
            yield "trust_confusion", row | {"share_given_people": confusion["share_given_people"][i][j]}
    for source, style in entry["style"].items():
        for answer, share in style["shares"].items():
            row = {"question": question, "given_by": source, "answer": answer, "share": share, "n": style["n"]}
            yield "trust_answers", row | {"entropy": style["entropy"]}


def _ranks(criterion: str, entry: Mapping) -> dict:
    row = {"criterion": criterion, "contestants": entry["contestants"], "items": entry["items"]}
    for name in ("tau", "spearman"):
        row |= {name: entry.get(name), **two_ends(name, entry.get(f"{name}_ci"))}
    people = entry.get("people", {})
    for name in ("tau", "judge_tau", "difference", "split_half", "spearman_brown"):
        row |= {f"people_{name}": people.get(name)}
        row |= two_ends(f"people_{name}", people.get(f"{name}_ci"))
    return row


def _biases(own: Mapping) -> Iterator[tuple[str, dict]]:
    for bias in ("position", "length"):
        for criterion, entry in own.get(bias, {}).items():
            for name in ("judge", "people", "difference"):
                if name in entry:
                    row = {"bias": bias, "criterion": criterion, "of": name, "estimate": entry[name]}
                    yield "trust_biases", row | two_ends("", entry[f"{name}_ci"]) | {"p": entry[f"{name}_p"]}
    for criterion, entry in own.get("favours", {}).items():
        for of, kin in (("difference", entry["self"]), ("beyond", entry["self"].get("beyond", {}))):
            if "estimate" in kin:
                row = {"bias": "self-preference", "criterion": criterion, "of": of, "estimate": kin["estimate"]}
                yield "trust_biases", row | two_ends("", kin["ci"]) | {"p": kin["p"]}
        for name, gap in entry["contestants"].items():
            row = {"bias": "liking", "criterion": criterion, "of": name, "estimate": gap["estimate"]}
            yield "trust_biases", row | two_ends("", gap["ci"])
