"""The methods paragraph of a paper, one a survey, with the numbers of the study: conversations, answers, statistics.

Citations are written ``[@key]`` or ``[@one;@two]`` with keys of ``references.bib``.
"""

from __future__ import annotations

from collections.abc import Sequence

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

DATA = {
    "dailydialog": "DailyDialog [@li2017]",
    "empathetic_dialogues": "Empathetic Dialogues [@rashkin2019]",
    "empathetic": "Empathetic Dialogues [@rashkin2019]",
    "convai2": "PersonaChat [@zhang2018]",
    "chitchat": "the BYU chit-chat dataset (people's conversations, collected 2018)",
}
PROVIDERS = {
    "in_house": "recruited by the authors (personal links)",
    "prolific": "recruited through Prolific",
    "mturk": "recruited through Amazon Mechanical Turk",
    "mturk_sandbox": "in the sandbox of Amazon Mechanical Turk (no real workers)",
}
CLUSTERS = {
    "conversations_workers": "conversations and annotators as crossed clusters",
    "conversations": "conversations as clusters",
    "workers": "annotators as clusters",
    "annotations": "annotations as independent",
}
MORE = {"fluency": "more fluent", "sensibleness": "more sensible", "specificity": "more specific"}
PENALISED = (
    " Davidson's model is fitted with Jeffreys' prior, which keeps strengths finite [@firth1993]; two contestants are "
    "compared by likelihood ratio, scaled by the design effect [@rao1984]."
)
MATCHES = (
    "An annotation is a match, which the entity wins that is taken for human rather than unsure or bot, or for unsure "
    "rather than bot. Bots are ranked by their strengths in Davidson's model of all matches, ties {order}included "
    "[@davidson1970]; all pairs are compared, and a bot's places run from one more than are surely better to as many "
    "as aren't surely worse, simultaneously [@mogstad2024]. Win rates (decided matches, mean over opponents) and the "
    "ranks of TrueSkill, of shuffled matches [@herbrich2006;@sakaguchi2014], are next to it. How long bots pass "
    "(are not called a bot) is estimated as the survival of interval-censored times [@turnbull1976] and compared by a "
    "log-rank test [@sun1996]."
)


def methods(read: Sequence[Contents]) -> list[str]:
    """Return one paragraph a survey; the first also describes the conversations."""
    contents_list = [contents for contents in read if contents.units or contents.judged] or read[:1]
    first, *others = [_survey(contents) for contents in contents_list]
    study = contents_list[0].study
    found = hygiene.read(study, [contents.survey for contents in read])
    faults = hygiene.careful_of(found[""]) if found else []
    return [" ".join([_conversations(contents_list), *faults, first]), *others]


def _conversations(read: Sequence[Contents]) -> str:
    study, conversations = read[0].study, read[0].conversations
    plan, provenance = study.plan, study.provenance()
    imported, selfplay = provenance.get("import") or {}, provenance.get("selfplay") or {}
    bots = [c for c in conversations if not all(c.is_human)]
    names = f" ({listed(plan.contestants)})" if len(plan.contestants) <= NAMES else ""
    contestants = counted(len(plan.contestants), "chatbot") + names
    domain, count = DATA.get(plan.domain, f"the domain “{plan.domain}”"), counted(len(bots), "conversation")
    source = imported.get("source", "")
    source = source if isinstance(source, str) else listed(source)
    if all(contents.counted for contents in read):
        text = f"We analysed votes on {contestants} from {source or 'elsewhere'}, without the texts."
    elif imported:
        origin = f" from {source}" if source and "/" not in source else ""
        about = f", on {domain}," if plan.domain != "imported" else ","
        text = f"We analysed {count} of {contestants}{origin}{about} imported as they were."
    elif not selfplay:
        text = f"The study holds {count} of {contestants} on {domain}; how they came about is not on record."
    else:
        pairs = counted(len({tuple(sorted(c.entities)) for c in bots}), "pairing")
        text = f"We let {contestants} talk with each other on {domain}, in ParlAI [@miller2017]: {count} in {pairs}, "
        text += f"{plan.conversations_per_pair} planned for each, of {plan.exchanges} exchanges (two turns each)"
        if plan.unseeded:
            text += ", from their first turn on, without a seed"
        elif selfplay.get("seeds"):
            text += ", after a first exchange that came from people and was shown to nobody"
        text += f"; the random seed was {plan.seed}."
    if itself := sum(c.entities[0] == c.entities[1] for c in bots):
        text += f" Of these, {itself} were of a bot with itself."
    if with_people := sum(any(c.is_human) for c in bots):
        text += f" In {counted(with_people, 'conversation')} the partner was a person."
    if people := len(conversations) - len(bots):
        text += f" {counted(people, 'conversation').capitalize()} between people served as a reference"
        text += ", taken from the data that the bots are trained on." if plan.human_pool == "training" else "."
    return text


def _survey(contents: Contents) -> str:
    try:
        survey = survey_of(contents.study, contents.survey)
    except UserError:  # a survey of another installation
        survey = None
    sources = [source for source in contents.sources if contents.annotations(source)]
    answered = [_people(contents, survey) if source == HUMAN else _judge(contents, source) for source in sources]
    parts = [
        _asked(contents, survey),
        *(answered or ["It has not been answered yet."]),
        *_statistics(contents, sources),
    ]
    return " ".join(parts)


def _asked(contents: Contents, survey: Survey | None) -> str:
    about = about_of(contents.survey)
    keys = ";".join(f"@{key}" for key in about.cite)
    text = f"We used the survey {about.in_text}{f' [{keys}]' if keys else ''}."
    packed = (contents.study.provenance().get("pack") or {}).get(contents.survey) or {}
    if survey is not None and survey.spots:
        more = [MORE.get(name, f"better in {name.replace('_', ' ')}") for name in features_of(survey)]
        text += " It shows a conversation and asks of each of its two entities whether it is a human or a bot, with "
        text += "“unsure” as a third answer"
        text += f"; then which of both is {listed(more)}, with “no difference” as a third answer." if more else "."
    elif survey is not None:
        names = [question.heading or question.name for question in survey.questions if question.kind != "free_text"]
        text += f" It asks about {listed(name.lower() for name in names)}."
        if survey.tasks:
            text += (
                f" The questions are dealt to {len(survey.tasks)} tasks, which are annotated turn by turn by people "
            )
            text += "who passed a training on dialogues with known labels; answers become labels, each there or not."
    lengths = sorted({row.exchanges for row in contents.judgements} - {0})
    if lengths and survey is not None and packing_of(survey).cuts:
        opened = "Annotators opened conversations themselves, up to" if survey.game else "It showed the first"
        text += f" {opened} {listed(map(str, lengths))} exchange{'s' if lengths != [1] else ''} of a conversation"
        surface = (packed.get("options") or {}).get("surface")
        text += ", with the surface of all texts normalised." if surface == "normalise" else "."
    warnings = packed.get("warnings") or ()
    return " ".join([text, *(f"Packing warned: {warning.rstrip('.')}." for warning in warnings)])


def _people(contents: Contents, survey: Survey | None) -> str:
    collection = (contents.study.provenance().get("crowdsourcing") or {}).get(contents.survey) or {}
    settings, limits = collection.get("settings") or {}, collection.get("limits") or {}
    text = upper_first(people_said(contents.people(HUMAN))) + f" gave {_given(contents, HUMAN)}"
    time = contents.of("time", HUMAN)
    if time.get("n"):
        text += f" (median {number(time['median'], 0)} seconds each, {number(time['hours'], 1)} hours in all)"
    text += "."
    if settings:
        text += f" They were {PROVIDERS.get(settings.get('provider'), 'recruited otherwise')}"
        if settings.get("pay"):
            text += f" and paid {number(settings['pay'])} {settings.get('currency', '')} for a unit".rstrip()
        text += ", and annotated in their browsers through Mephisto [@urbanek2023]."
        text += "".join(f" {sentence}" for sentence in (unverified(collection), strangers(collection)) if sentence)
    if limits and survey is not None and survey.onboarding:
        text += " Practice items with known answers had to be passed first."
    if controls := len({row.annotation_id for row in contents.judgements if row.source == HUMAN and row.control}):
        text += f" {controls} answers to known (control) items were mixed in and left out of all results."
    about = contents.of("annotators", HUMAN)
    workers = {row.worker_id for row in contents.judgements if row.source == HUMAN and row.control is None}
    if failed := len(workers & set((about.get("controls") or {}).get("failed", ()))):
        text += f" {counted(failed, 'person', 'people').capitalize()} who missed more of them than allowed "
        text += f"{'is' if failed == 1 else 'are'} left out, too. "
        text += (about.get("with_everybody") or {}).get("sentence", "")
    return text.rstrip()


def _given(contents: Contents, source: str) -> str:
    """Return how many annotations of how many items a source gave, controls aside."""
    if contents.counted:
        votes = contents.of("votes", source)
        return f"{counted(votes['n'], 'annotation')} of {counted(votes['prompts']['count'] or votes['n'], 'item')}"
    data = [row for row in contents.judgements if row.source == source and row.control is None]
    items = counted(len({row.item_id for row in data}), "item")
    return f"{counted(len({row.annotation_id for row in data}), 'annotation')} of {items}"


def _judge(contents: Contents, source: str) -> str:
    text = f"The automatic judge “{source.removeprefix('judge:')}” gave {_given(contents, source)} in "
    text += f"{counted(contents.people(source), 'variant')}; its answers are reported apart and are no substitute for "
    text += "people's."
    variants = contents.judges.get(source, {}).get("variants", {}).values()
    right = [v["balanced_accuracy"] for v in variants if isinstance(v, dict) and v.get("balanced_accuracy") is not None]
    if right:
        ends = list(dict.fromkeys([number(min(right)), number(max(right))]))
        text += f" On held-out bots and people its balanced accuracy is {' to '.join(ends)} (chance: 0.50)."
    verdict = contents.of("trust", source).get("verdict") or {}
    return f"{text} {verdict['sentence']}" if verdict.get("warning") else text


def _statistics(contents: Contents, sources: Sequence[str]) -> list[str]:
    """Return how the survey was analysed, with agreement; nothing where it was not."""
    rankings = {source: contents.of("ranking", source) for source in sources}
    analysed = [source for source, ranking in rankings.items() if ranking.get("order") or ranking.get("criteria")]
    if not analysed:
        return []
    first = rankings[analysed[0]]
    criterion = first.get("criterion")
    if "win_rate" in first:
        ordered = (first.get("davidson_model") or {}).get("order_effect") is not None
        text = MATCHES.format(order="and the order of the two " if ordered else "")
    else:
        how = "compared in each behaviour" if first.get("criteria") and not first.get("order") else "ranked"
        text = (
            f"Contestants are {how} by {criterion}." if criterion else "Contestants are ranked by their mean answers."
        )
    text += _limits(first) + _uncertainty(contents, analysed[0])
    return [text + _agreement(contents)]


def _limits(ranking: dict) -> str:
    """Return what keeps a ranking from being one order of all, in sentences that begin with a space."""
    text, groups, few = "", ranking.get("groups") or [], ranking.get("too_few") or {}
    if len(groups) > 1:
        text += f" The contestants fall into {len(groups)} groups that never met; each is ranked by itself."
    if (ranking.get("one_scale") or {}).get("rejected"):
        text += " Contestants beat each other in a circle, so every pair is tested by its own matches, and nobody has "
        text += "a place."
    if few:
        text += f" {counted(len(few), 'contestant')} with too few comparisons (under {MINIMUM}) "
        text += f"{'is' if len(few) == 1 else 'are'} not ranked."
    return text


def _uncertainty(contents: Contents, source: str) -> str:
    """Return how intervals and tests of a source's ranking are made, in sentences that begin with a space."""
    ranking = contents.of("ranking", source)
    bootstrap = ranking.get("bootstrap") or {}
    clusters, text = CLUSTERS.get(bootstrap.get("resample")), ""
    if contents.counted:
        votes = contents.of("votes", source)
        shared = [what for what in ("prompts", "annotators") if 1 < votes[what]["count"] < votes[what]["known"]]
        clusters = f"{' and '.join(shared)} as clusters" if shared else "votes as independent"
    if clusters:
        text += f" Errors take {clusters}"
        text += (
            "."
            if clusters.endswith("independent")
            else (
                " [@cameron2011], with the correction CR2 and Satterthwaite's degrees of freedom for few clusters "
                "[@pustejovsky2018]."
            )
        )
    if "win_rate" in ranking or ("criteria" in ranking and not ranking.get("order")):
        text += " 95 % intervals of shares are exact binomial ones of as many independent answers as would be as "
        text += "uncertain [@korn1998]."
    if clusters and bootstrap.get("replicates"):
        text += f" Those of survival and TrueSkill come from {bootstrap['replicates']:,} bootstrap replicates that "
        text += "draw the same again."
    if source != HUMAN:
        text += " Variants of a judge are no sample of annotators and are not drawn."
    if "win_rate" in ranking or "Davidson" in (ranking.get("criterion") or ""):
        text += PENALISED
    return f"{text} Tests of pairs are corrected for their number [@holm1979]."


def _agreement(contents: Contents) -> str:
    """Return alpha of each question between people, in a sentence that begins with a space; "" where it isn't known."""
    found = (contents.of("agreement", HUMAN).get("krippendorff_alpha") or {}).items()
    alphas = [
        f"{plainly(name)} {number(entry['alpha'])}{to(entry.get('ci'), number)}"
        for name, entry in found
        if isinstance(entry, dict) and entry.get("alpha") is not None
    ]
    told = f" Agreement between people is Krippendorff's alpha with 95 % intervals [@hayes2007]: {', '.join(alphas)}."
    return told if alphas else ""
