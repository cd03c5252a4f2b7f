"""The methods paragraphs of a paper, from what is known of the study: conversations, annotation, judges, statistics."""

from __future__ import annotations

from parlai_spotbot.analysis.ranking.contrasts import MINIMUM, PROFILED
from parlai_spotbot.findings.criteria import order_effect_sentence
from parlai_spotbot.findings.ids_words import strangers, unverified
from parlai_spotbot.report.appendix.study_profile import NAMES, SourceProfile, StudyProfile, SurveyProfile
from parlai_spotbot.report.appendix.text_formats import interval, listed, number
from parlai_spotbot.surveys import Survey, about_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.wording import counted, p_said, people_said, upper_first

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
DRAWN = {
    "conversations_workers": "conversations and annotators as crossed clusters",
    "conversations": "conversations as clusters",
    "workers": "annotators as clusters",
    "annotations": "annotations as independent",
}

SMALL = ", with the correction CR2 and Satterthwaite's degrees of freedom for few clusters [@pustejovsky2018]"
PENALISED = (
    " Davidson's model is fitted by a likelihood that Jeffreys' prior penalises, which keeps strengths finite "
    "[@firth1993;@heinze2002;@kosmidis2021]; two contestants are compared by its likelihood ratio (in groups of more "
    f"than {PROFILED} by Wald's test), scaled by the design effect [@rao1984], which is drawn half way to the mean of "
    "all pairs [@smyth2004]."
)


def methods(profile: StudyProfile) -> list[str]:
    """The paragraphs, with citations as ``[@key]``."""
    return [conversations(profile), *(paragraph for own in profile.surveys for paragraph in survey(profile, own))]


def conversations(profile: StudyProfile) -> str:
    """Who talked with whom, how long, and where the conversations began."""
    plan = profile.plan
    few = len(plan.contestants) <= NAMES
    bots = counted(len(plan.contestants), "chatbot") + (f" ({listed(plan.contestants)})" if few else "")
    domain = DATA.get(plan.domain, f"the domain “{plan.domain}”")
    if not profile.spoken:
        text = f"We analysed votes on {bots} from {profile.imported.get('source', 'elsewhere')}, without the texts."
    elif profile.imported:
        source = profile.imported.get("source", "")
        source = source if isinstance(source, str) else listed(source)
        origin = f" from {source}" if source and "/" not in source else ""
        count = counted(profile.bots, "conversation")
        about = f", on {domain}," if plan.domain != "imported" else ","
        text = f"We analysed {count} of {bots}{origin}{about} imported as they were."
    elif not profile.selfplay:
        text = f"The study holds {counted(profile.bots, 'conversation')} of {bots} on {domain}"
        text += "; how they came about is not on record."
    else:
        text = f"We let {bots} talk with each other on {domain}, in ParlAI [@miller2017]: "
        text += f"{counted(profile.bots, 'conversation')} in {counted(profile.pairs, 'pairing')}"
        text += f", {plan.conversations_per_pair} planned for each, of {plan.exchanges} exchanges (two turns each)"
        if plan.unseeded:
            text += ", from their first turn on, without a seed"
        elif profile.selfplay.get("seeds"):
            text += ", after a first exchange that came from people and was shown to nobody"
        text += f"; the random seed was {plan.seed}."
    if profile.self_chats:
        text += f" Of these, {profile.self_chats} were of a bot with itself."
    if profile.with_people:
        text += f" In {counted(profile.with_people, 'conversation')} the partner was a person."
    if profile.people:
        text += f" {counted(profile.people, 'conversation').capitalize()} between people served as a reference"
        text += ", taken from the data that the bots are trained on." if plan.human_pool == "training" else "."
    return " ".join([text, *profile.faults])


MORE = {"fluency": "more fluent", "sensibleness": "more sensible", "specificity": "more specific"}
"""Features as they follow on "which of both is"."""


def survey(profile: StudyProfile, own: SurveyProfile) -> list[str]:
    """A survey's paragraphs: what was asked, by whom it was answered, how it was analysed."""
    asked = _asked(own)
    answered = [_people(own, source) if source.human else _judge(own, source) for source in own.sources]
    if not own.sources:
        answered = ["It has not been answered yet."]
    return [" ".join([asked, *answered]), *_statistics(own)]


def _asked(own: SurveyProfile) -> str:
    sources = ";".join(f"@{key}" for key in about_of(own.name).cite)
    text = f"We used the survey {own.title}{f' [{sources}]' if sources else ''}."
    if own.survey is not None and own.survey.spots:
        text += (
            " It shows a conversation and asks of each of its two entities whether it is a human or a bot, with "
            f"“unsure” as a third answer{_features(own.survey)}."
        )
    elif own.survey is not None:
        names = [question.heading or question.name for question in own.survey.questions if question.kind != "free_text"]
        text += f" It asks about {listed(name.lower() for name in names)}."
        if own.survey.tasks:
            text += _tasks(own.survey)
    if own.lengths and own.survey is not None and packing_of(own.survey).cuts:
        shown = listed(str(k) for k in own.lengths)
        opened = "Annotators opened conversations themselves, up to" if own.survey.game else "It showed the first"
        text += f" {opened} {shown} exchange{'s' if own.lengths != (1,) else ''} of a conversation"
        text += ", with the surface of all texts normalised." if own.packed.get("surface") == "normalise" else "."
    return " ".join([text, *(f"Packing warned: {warning.rstrip('.')}." for warning in own.warnings)])


def _features(survey: Survey) -> str:
    """Which of both does better in what, in one clause."""
    more = [MORE.get(name, f"better in {name.replace('_', ' ')}") for name in features_of(survey)]
    return f"; then which of both is {listed(more)}, with “no difference” as a third answer" if more else ""


def _tasks(survey: Survey) -> str:
    """How a survey of tasks goes from answers to labels, and who may annotate."""
    labels = [label.replace("_", " ") for task in survey.tasks for label in task.labels]
    allowed = sorted({task.allowed for task in survey.tasks})
    return (
        f" The questions are dealt to {len(survey.tasks)} tasks, which are annotated one by one, turn by turn; answers "
        f"become {len(labels)} labels, each there or not: {listed(labels)}. For each task annotators are trained on "
        "dialogues with known labels, of which the last decides: "
        f"{' or '.join(map(str, allowed))} of its turns may be wrong, by the task."
    )


def _people(own: SurveyProfile, source: SourceProfile) -> str:
    text = upper_first(people_said(source.annotators))
    text += f" gave {counted(source.annotations, 'annotation')} of {counted(source.items, 'item')}"
    if source.median_seconds is not None:
        text += f" (median {number(source.median_seconds, 0)} seconds each"
        text += f", {number(source.hours, 1)} hours in all)" if source.hours is not None else ")"
    text += "."
    settings, limits = own.settings, own.limits
    if settings:
        text += f" They were {PROVIDERS.get(settings.get('provider'), 'recruited otherwise')}"
        if settings.get("pay"):
            text += f" and paid {number(settings['pay'])} {settings.get('currency', '')} for a unit".rstrip()
        text += ", and annotated in their browsers through Mephisto [@urbanek2023]."
        text += "".join(f" {said}" for said in (unverified(own.collection), strangers(own.collection)) if said)
    if limits.get("units_per_annotator"):
        text += f" Nobody could do more than {counted(limits['units_per_annotator'], 'unit')}."
    if limits and own.survey is not None and own.survey.onboarding:
        text += " Practice items with known answers had to be passed first."
    if source.controls:
        text += f" {source.controls} answers to known (control) items were mixed in and left out of all results."
    if source.left_out:
        text += f" {counted(source.left_out, 'person', 'people').capitalize()} who missed more of them than allowed "
        text += f"{'is' if source.left_out == 1 else 'are'} left out, too. {source.with_everybody}".rstrip()
    return text


def _judge(own: SurveyProfile, source: SourceProfile) -> str:
    name = source.source.removeprefix("judge:")
    about = own.judges.get(source.source, {})
    text = f"The automatic judge “{name}” answered {counted(source.items, 'item')} in "
    text += (
        f"{counted(source.annotators, 'variant')}; its answers are reported apart and are no substitute for people's."
    )
    right = [
        v["balanced_accuracy"]
        for v in (about.get("variants") or {}).values()
        if isinstance(v, dict) and isinstance(v.get("balanced_accuracy"), (int, float))
    ]
    if right:
        best, worst = max(right), min(right)
        ends = number(best) if best == worst else f"{number(worst)} to {number(best)}"
        text += f" On held-out bots and people its balanced accuracy is {ends} (chance: 0.50)."
    return " ".join([text, *source.doubts])


def _statistics(own: SurveyProfile) -> list[str]:
    """How it was analysed, with agreement; nothing where it wasn't."""
    analysed = [source for source in own.sources if source.ranking.get("order") or source.ranking.get("criteria")]
    if not analysed:
        return []
    first = analysed[0].ranking
    if "win_rate" in first:
        order = "and the order of the two " if first.get("davidson_model", {}).get("order_effect") is not None else ""
        text = (
            "An annotation is a match, which the entity wins that is taken for human rather than unsure or bot, or for "
            "unsure rather than bot. Bots are ranked by their strengths in Davidson's model of all matches, ties "
            f"{order}included [@davidson1970]; all pairs are compared, and a bot's places run from one more than are "
            "surely better to as many as aren't surely worse, simultaneously [@mogstad2024]. Win rates (decided "
            "matches, mean over opponents) and the ranks of TrueSkill [@herbrich2006], the order of matches shuffled "
            "in every bootstrap replicate [@sakaguchi2014], stand beside it. How long bots pass, which is not to be "
            "called a bot, is estimated as the survival of interval-censored times [@turnbull1976] and compared by a "
            "log-rank test [@sun1996]."
        )
    else:
        criterion = first.get("criterion")
        how = "compared in each behaviour" if first.get("criteria") and not first.get("order") else "ranked"
        text = (
            f"Contestants are {how} by {criterion}." if criterion else "Contestants are ranked by their mean answers."
        )
    text += _limits(first) + how_uncertain(analysed[0])
    told = [_agreement(source) for source in own.sources if source.alpha]
    if told:
        text += f" Agreement is Krippendorff's alpha [@hayes2007]: {'; '.join(told)}."
    return [text]


def _limits(ranking: dict) -> str:
    """Return what keeps a ranking from being one order of all, in sentences that begin with a space."""
    text, groups, few = "", ranking.get("groups") or [], ranking.get("too_few") or {}
    if len(groups) > 1:
        text += f" The contestants fall into {len(groups)} groups that never met; each is ranked by itself."
    if (scale := ranking.get("one_scale") or {}).get("rejected"):
        fit = "" if scale.get("p") is None else f" (likelihood ratio against free win shares, {p_said(scale['p'])})"
        text += f" One scale does not fit the results{fit}, so every pair is tested by its own matches, and nobody has "
        text += "a place."
    if few:
        text += f" {counted(len(few), 'contestant')} with too few comparisons (under {MINIMUM}) "
        text += f"{'is' if len(few) == 1 else 'are'} not ranked."
    if sentence := order_effect_sentence(ranking) if ranking.get("order") else "":
        text += f" {sentence}"
    return text


def how_uncertain(source: SourceProfile) -> str:
    """Return how intervals and tests of a source's ranking are made, in sentences that begin with a space."""
    ranking = source.ranking
    made = ranking.get("bootstrap") or {}
    drawn, text = DRAWN.get(made.get("resample")), ""
    if source.clusters is not None:
        drawn = f"{' and '.join(source.clusters)} as clusters" if source.clusters else "votes as independent"
    if drawn:
        text += f" Errors take {drawn}"
        text += "." if drawn.endswith("independent") else f" [@cameron2011]{SMALL}."
    if "win_rate" in ranking or ("criteria" in ranking and not ranking.get("order")):
        text += " 95 % intervals of shares are exact binomial ones of as many independent answers as would be as "
        text += "uncertain [@korn1998]."
    if drawn and made.get("replicates"):
        text += f" Those of survival and TrueSkill come from {made['replicates']:,} bootstrap replicates that draw the "
        text += "same anew."
    if not source.human:
        text += " Variants of a judge are no sample of annotators and are not drawn."
    if "win_rate" in ranking or "Davidson" in (ranking.get("criterion") or ""):
        text += PENALISED
    return f"{text} Tests of pairs are corrected for their number [@holm1979]."


def _agreement(source: SourceProfile) -> str:
    judge = source.source.removeprefix("judge:")
    who = "between people" if source.human else f"of judge “{judge}” with itself (its variants are no annotators)"
    alphas = [f"{name.replace('_', ' ')} {number(alpha)}{interval(ci)}" for name, (alpha, ci) in source.alpha.items()]
    return f"{who} {', '.join(alphas)}"
