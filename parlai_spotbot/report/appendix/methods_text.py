"""The methods paragraph of a paper, one a survey, with the numbers of the study: conversations, answers, statistics.

Sentences are those of ``methods_text.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot.analysis.ranking.contrasts import MINIMUM
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.ids_words import strangers, unverified
from parlai_spotbot.findings.whole_study import hygiene
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import Survey, about_of, survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.wording import counted, listed, number, people_said, plainly, to, upper_first

NAMES = 50
"""The paragraph names so many contestants; of more it states the number."""

TEXTS: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def _say(key: str, when: object = True, **values: object) -> str:
    """Return a sentence with its values; "" where there is nothing to say."""
    return TEXTS[key].format(**values) if when else ""


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(sentence.strip() for sentence in sentences if sentence)


def methods(read: Sequence[Contents]) -> list[str]:
    """Return one paragraph a survey; the first also describes the conversations."""
    contents_list = [contents for contents in read if contents.units or contents.judged] or read[:1]
    first, *others = [_survey(contents) for contents in contents_list]
    found = hygiene.read(contents_list[0].study, [contents.survey for contents in read])
    faults = hygiene.careful_of(found[""]) if found else []
    return [_joined([*_conversations(contents_list), *faults, first]), *others]


def _conversations(read: Sequence[Contents]) -> list[str]:
    study, conversations = read[0].study, read[0].conversations
    plan, provenance = study.plan, study.provenance()
    imported, selfplay = provenance.get("import") or {}, provenance.get("selfplay") or {}
    bots = [c for c in conversations if not all(c.is_human)]
    names = f" ({listed(plan.contestants)})" if len(plan.contestants) <= NAMES else ""
    source = imported.get("source", "")
    source = source if isinstance(source, str) else listed(source)
    votes = all(contents.counted for contents in read)
    how = "votes" if votes else "imported" if imported else "played" if selfplay else "unrecorded"
    people = len(conversations) - len(bots)
    itself = sum(c.entities[0] == c.entities[1] for c in bots)
    with_person = sum(any(c.is_human) for c in bots)
    return [
        _say(
            how,
            plan=plan,
            contestants=counted(len(plan.contestants), "chatbot") + names,
            domain=TEXTS["data"].get(plan.domain, f"the domain “{plan.domain}”"),
            count=counted(len(bots), "conversation"),
            pairs=counted(len({tuple(sorted(c.entities)) for c in bots}), "pairing"),
            source=source or "elsewhere",
            origin=f" from {source}" if source and "/" not in source else "",
        ),
        _say("seeds", selfplay.get("seeds") and not plan.unseeded),
        _say("itself", itself, n=itself),
        _say("with_person", with_person, n=with_person),
        _say(
            "people",
            people,
            n=counted(people, "conversation").capitalize(),
            training=_say("training", plan.human_pool == "training"),
        ),
    ]


def _survey(contents: Contents) -> str:
    try:
        survey = survey_of(contents.study, contents.survey)
    except UserError:  # a survey of another installation
        survey = None
    sources = [source for source in contents.sources if contents.annotations(source)]
    answered = [
        sentence
        for source in sources
        for sentence in (_people(contents, survey) if source == HUMAN else _judge(contents, source))
    ]
    return _joined([*_asked(contents, survey), *(answered or [_say("unanswered")]), *_statistics(contents, sources)])


def _asked(contents: Contents, survey: Survey | None) -> list[str]:
    about = about_of(contents.survey)
    keys = ";".join(f"@{key}" for key in about.cite)
    sentences = [_say("used", name=about.in_text, cited=f" [{keys}]" if keys else "")]
    packed = (contents.study.provenance().get("pack") or {}).get(contents.survey) or {}
    if survey is not None and survey.spots:
        more = [TEXTS["features"].get(name, f"better in {plainly(name)}") for name in features_of(survey)]
        sentences.append(_say("spots", features=_say("favoured", more, features=listed(more))))
    elif survey is not None:
        names = [question.heading or question.name for question in survey.questions if question.kind != "free_text"]
        sentences.append(_say("asks", names=listed(name.lower() for name in names)))
        sentences.append(_say("tasks", survey.tasks, n=len(survey.tasks)))
    lengths = sorted({row.exchanges for row in contents.judgements} - {0})
    if lengths and survey is not None and packing_of(survey).cuts:
        sentences.append(_say("game" if survey.game else "cut", lengths=listed(map(str, lengths))))
    return sentences + [_say("warned", warning=warning.rstrip(".")) for warning in packed.get("warnings") or ()]


def _people(contents: Contents, survey: Survey | None) -> list[str]:
    collection = (contents.study.provenance().get("crowdsourcing") or {}).get(contents.survey) or {}
    settings, time = collection.get("settings") or {}, contents.of("time", HUMAN)
    rows = [row for row in contents.judgements if row.source == HUMAN]
    about = contents.of("annotators", HUMAN)
    workers = {row.worker_id for row in rows if row.control is None}
    failed = workers & set((about.get("controls") or {}).get("failed", ()))
    controls = len({row.annotation_id for row in rows if row.control})
    spent = ""
    if time.get("n"):
        spent = _say("time", median=number(time["median"], 0), hours=number(time["hours"], 1))
    pay = settings.get("pay") and number(settings["pay"])
    return [
        _say("gave", who=upper_first(people_said(contents.people(HUMAN))), given=_given(contents, HUMAN), time=spent),
        _say(
            "recruited",
            settings,
            provider=TEXTS["providers"].get(settings.get("provider"), "recruited otherwise"),
            pay=_say("pay", pay, pay=pay, currency=settings.get("currency", "")),
        ),
        unverified(collection) if settings else "",
        strangers(collection) if settings else "",
        _say("practice", collection.get("limits") and survey is not None and survey.onboarding),
        _say("controls", controls, n=controls),
        _say("failed", failed, n=len(failed), everybody=(about.get("with_everybody") or {}).get("sentence", "")),
    ]


def _given(contents: Contents, source: str) -> str:
    """Return how many annotations of how many items a source gave, controls aside."""
    if contents.counted:
        votes = contents.of("votes", source)
        return f"{counted(votes['n'], 'annotation')} of {counted(votes['prompts']['count'] or votes['n'], 'item')}"
    data = [row for row in contents.judgements if row.source == source and row.control is None]
    items = counted(len({row.item_id for row in data}), "item")
    return f"{counted(len({row.annotation_id for row in data}), 'annotation')} of {items}"


def _judge(contents: Contents, source: str) -> list[str]:
    variants = contents.judges.get(source, {}).get("variants", {}).values()
    right = [v["balanced_accuracy"] for v in variants if isinstance(v, dict) and v.get("balanced_accuracy") is not None]
    ends = dict.fromkeys(map(number, (min(right), max(right)))) if right else ()
    verdict = contents.of("trust", source).get("verdict") or {}
    name, many = source.removeprefix("judge:"), counted(contents.people(source), "variant")
    return [
        _say("judge", name=name, given=_given(contents, source), variants=many),
        _say("held_out", right, ends=" to ".join(ends)),
        verdict["sentence"] if verdict.get("warning") else "",
    ]


def _statistics(contents: Contents, sources: Sequence[str]) -> list[str]:
    """Return how the survey was analysed, with agreement; nothing where it was not."""
    for source in sources:
        ranking = contents.of("ranking", source)
        if not ranking.get("order") and not ranking.get("criteria"):
            continue
        groups, few = ranking.get("groups") or [], ranking.get("too_few") or {}
        ordered = (ranking.get("davidson_model") or {}).get("order_effect") is not None
        rates, criterion = "win_rate" in ranking, ranking.get("criterion") or "their mean answers"
        return [
            _say("matches" if rates else "ranked", order=_say("order", ordered), criterion=criterion),
            _say("groups", len(groups) > 1, n=len(groups)),
            _say("circle", (ranking.get("one_scale") or {}).get("rejected")),
            _say("too_few", few, least=MINIMUM, n=len(few)),
            *_uncertainty(contents, source, ranking),
            _agreement(contents),
        ]
    return []


def _uncertainty(contents: Contents, source: str, ranking: Mapping) -> list[str]:
    """Return how intervals and tests of a source's ranking are made."""
    bootstrap, rates = ranking.get("bootstrap") or {}, "win_rate" in ranking
    clusters = TEXTS["clusters"].get(bootstrap.get("resample"))
    if contents.counted:
        votes = contents.of("votes", source)
        shared = [what for what in ("prompts", "annotators") if 1 < votes[what]["count"] < votes[what]["known"]]
        clusters = f"{' and '.join(shared)} as clusters" if shared else "votes as independent"
    kind = "independent" if (clusters or "").endswith("independent") else "errors"
    replicates = bootstrap.get("replicates")
    return [
        _say(kind, clusters, clusters=clusters),
        _say("binomial", rates or ("criteria" in ranking and not ranking.get("order"))),
        _say("bootstrap", clusters and replicates, n=f"{replicates or 0:,}"),
        _say("variants", source != HUMAN),
        _say("penalised", rates or "Davidson" in (ranking.get("criterion") or "")),
        _say("holm"),
    ]


def _agreement(contents: Contents) -> str:
    """Return alpha of each question between people; "" where it isn't known."""
    found = (contents.of("agreement", HUMAN).get("krippendorff_alpha") or {}).items()
    alphas = [
        f"{plainly(name)} {number(entry['alpha'])}{to(entry.get('ci'), number)}"
        for name, entry in found
        if isinstance(entry, dict) and entry.get("alpha") is not None
    ]
    return _say("agreement", alphas, alphas=", ".join(alphas))
