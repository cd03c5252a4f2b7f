"""In what several studies differ: plan, pool, what was judged and by whom; and whether they are independent at all."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.sections import Table
from parlai_spotbot.findings.standings import Opened
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import counted, listed, people_said, source_said


def study_lines(study: Opened, contents: Contents) -> dict[str, str]:
    """What a study is, a line each, in words."""
    plan, provenance = study.plan, study.study.provenance()
    packed = provenance.get("pack", {}).get(contents.survey, {}).get("options", {})
    people = sum(all(c.is_human) for c in contents.conversations)
    bots = len(contents.conversations) - people
    found = {
        "Domain": plan.domain,
        "Contestants": f"{len(plan.contestants)}: {', '.join(plan.contestants)}",
        "Conversations of bots": f"{bots} ({plan.conversations_per_pair} a pair planned)",
        "Conversations of people": str(people),
        "Exchanges of a conversation": str(plan.exchanges),
        "Segments shown (exchanges)": ", ".join(map(str, packed.get("segments", plan.segments))),
        "Annotations of a segment planned": str(packed.get("annotators_per_segment", "–")),
        "Surface form": str(packed.get("surface", "–")),
        "Seed": str(plan.seed),
    }
    if contents.counted:  # votes come without conversations
        found = {name: found[name] for name in ("Domain", "Contestants")}
    for source in contents.sources:
        count = contents.people(source)
        by = people_said(count) if source == HUMAN else counted(count, "variant")
        found[f"Judged by {source_said(source)}"] = f"{contents.annotations(source)} annotations, {by}"
    made = contents.made_by.get("ranking", {})
    options = made.get("options") or {}
    found["Bootstrap of the analysis"] = f"{options.get('bootstraps', '–')} replicates, {options.get('resample', '–')}"
    found["Version"] = str(made.get("package", "–"))
    return found


def table(studies: Sequence[Opened], contents: Sequence[Contents]) -> tuple[Table, str]:
    """What differs between the studies as a table, and what is the same as a sentence."""
    told = [study_lines(study, own) for study, own in zip(studies, contents, strict=True)]
    keys = list(dict.fromkeys(itertools.chain.from_iterable(told)))
    differ = [key for key in keys if len({own.get(key, "–") for own in told}) > 1]
    rows = [(key, *(own.get(key, "–") for own in told)) for key in differ]
    same = [f"{key.lower()}: {told[0][key]}" for key in keys if key not in differ]
    sentence = f"The same in all: {'; '.join(same)}." if same else ""
    how = "What differs between the studies. Any of it may be why a ranking moved; the comparison can't tell which."
    return Table("In what the studies differ", how, ("", *(s.label for s in studies)), rows), sentence


def warnings(studies: Sequence[Opened]) -> list[str]:
    """Why two studies may not be compared as if they were independent, or a name may not mean the same bot."""
    found = []
    imported = [study.label for study in studies if "import" in study.study.provenance()]
    if imported:
        found.append(
            f"Contestants are matched by name alone. {listed(imported)} {'was' if len(imported) == 1 else 'were'} "
            "imported, so the same name may stand for models trained on different data."
        )
    for one, two in itertools.combinations(studies, 2):
        shared = len(one.texts & two.texts)
        if shared:
            found.append(
                f"{one.label} and {two.label} share {shared} conversations, word for word. They are not independent, "
                "so what is said here of chance holds only roughly: a change is found less often than it should be."
            )
        names = [name for name in one.plan.contestants if name in two.plan.contestants]
        other = [n for n in names if not one.plan.contestants[n].same_bot(two.plan.contestants[n])]
        if other:
            found.append(
                f"In {one.label} and {two.label} {listed(other)} {'has' if len(other) == 1 else 'have'} different "
                "options: contestants are matched by name, so these may be different bots."
            )
    return found
