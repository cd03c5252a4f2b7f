"""Studies of every survey but Spot The Bot, made up by a rule: what contestants are like decides what people answer."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import yaml

from parlai_spotbot import checksums
from parlai_spotbot.domains import Episode
from parlai_spotbot.nuc.corpora import Corpus
from parlai_spotbot.nuc.sampling import SamplingSettings, sample
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, Utterance, indexed
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.labels import ANSWERS, LABELS, QUESTIONS, complete, labels_of, possible
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions, write_questions
from parlai_spotbot.surveys.packing.candidates import key_of
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.spoken import bots_of, rows_about, spoken


def talk(identity: str, entities: tuple[str, str], texts: Sequence[str] | None = None) -> Conversation:
    """A conversation of six turns after the seed."""
    said = texts or [f"{identity} says {t} to {entities[1 - t % 2]}" for t in range(8)]
    return spoken(identity, entities, said)


def item_of(pair: Sequence[Conversation], judged: Sequence[int] = (), questions: Sequence[str] = ()) -> Item:
    shown = tuple(tuple(Utterance(i % 2, t.text) for i, t in enumerate(c.shown)) for c in pair)
    ids = tuple(c.conversation_id for c in pair)
    return Item("-".join(["i", *ids, *questions]), ids, 3, shown, judged=tuple(judged), questions=tuple(questions))


def rows(survey: str, annotation: str, unit: str, item: Item, answers: dict, worker: str, **more) -> list[Judgement]:
    """An annotation's judgements; answers by (question, target)."""
    about = survey, unit, item.item_id, item.conversation_ids, item.exchanges
    return list(rows_about(annotation, about, worker, answers, **more))


# -- one survey ------------------------------------------------------------------------------------------------------
class Made:
    """Judgements, conversations and items in the making."""

    def __init__(self, survey: str, seed: int = 0):
        self.survey, self.rng = survey, np.random.default_rng(seed)
        self.judgements: list[Judgement] = []
        self.conversations: dict[str, Conversation] = {}
        self.items: dict[str, Item] = {}
        self.annotations = 0

    def annotation(
        self,
        item: Item,
        answers: Mapping[tuple[str, str], str],
        worker: str,
        source: str = HUMAN,
        control: str | None = None,
        left: int | None = None,
    ) -> None:
        """One annotation of an item, the conversation `left` (0 or 1) standing on the left."""
        self.items[item.item_id] = item
        left = int(self.rng.integers(2)) if left is None else left
        shown = {f"place:{left}": "left", f"place:{1 - left}": "right"} if len(item.conversation_ids) > 1 else {}
        seconds = float(self.rng.gamma(4, 30)) if source == HUMAN else None
        more = {"source": source, "control": control, "presentation": shown, "seconds": seconds}
        name = f"{source}-{self.annotations}"
        self.judgements += rows(self.survey, name, f"u-{worker}", item, answers, worker, **more)
        self.annotations += 1

    def choose(self, share: float, tie: float = 0.0) -> str:
        """A choice for the first conversation with chance `share`, for neither with chance `tie`."""
        if self.rng.random() < tie:
            return "neither"
        return "conversation:0" if self.rng.random() < share else "conversation:1"

    def everything(self) -> tuple[list[Judgement], list[Conversation], list[Item]]:
        return self.judgements, list(self.conversations.values()), list(self.items.values())


def acute(
    shares: Mapping[tuple[str, str], float],
    n: int,
    *,
    questions: Sequence[str] = ("engagingness",),
    kinds: Sequence[str] = ("self",),
    sources: Sequence[str] = (HUMAN,),
    survey: str = "acute_eval",
    tie: float = 0.0,
    reason: bool = True,
    seed: int = 0,
) -> Made:
    """`n` choices a pair, question and kind of conversation; each conversation once, an annotator one of each pair."""
    made, number = Made(survey, seed), itertools.count()

    def chat(name: str, kind: str) -> Conversation:
        return talk(f"{kind}-{name}-{next(number)}", (name if kind == "self" or name == HUMAN else HUMAN, name))

    for kind, question, ((a, b), share) in itertools.product(kinds, questions, shares.items()):
        for i in range(n):
            pair = [chat(a, kind), chat(b, kind)][:: 1 if i % 2 == 0 else -1]
            made.conversations.update(indexed(pair))
            item = item_of(pair, (1, 1), (question, "reason"))
            for source in sources:
                answers = {(question, "pair"): made.choose(share if i % 2 == 0 else 1 - share, tie)}
                if reason and source == HUMAN:
                    answers["reason", "pair"] = "it listens"
                made.annotation(item, answers, f"w{i}" if source == HUMAN else f"v{i % 2}", source)
    return made


def likert(
    levels: Mapping[str, float],
    conversations: int,
    *,
    dimensions: Sequence[str] = ("quality", "relevance"),
    annotators: int = 12,
    per_conversation: int = 2,
    turns: bool = False,
    sources: Sequence[str] = (HUMAN,),
    seed: int = 0,
) -> Made:
    """Ratings of conversations with people, of the bot as entity 1, or of its turns."""
    made = Made("turn_likert" if turns else "dialogue_likert", seed)
    lenient = made.rng.normal(0, 0.5, annotators)
    targets = ("turn:1", "turn:3", "turn:5") if turns else ("entity:1",)
    for (name, level), i in itertools.product(levels.items(), range(conversations)):
        chat = talk(f"c-{name}-{i}", (HUMAN, name))
        made.conversations[chat.conversation_id] = chat
        item, own = item_of([chat], (1,), dimensions), made.rng.normal(0, 0.4)
        for source in sources:
            for worker in made.rng.choice(annotators, per_conversation, replace=False):
                mean = level + own + (lenient[worker] if source == HUMAN else 0.0)
                answers = {
                    pair: rating(mean + made.rng.normal(0, 0.7)) for pair in itertools.product(dimensions, targets)
                }
                made.annotation(item, answers, f"w{worker}" if source == HUMAN else "v0", source)
    return made


def rating(value: float) -> str:
    return str(int(np.clip(round(value), 1, 5)))


# -- ABC-Eval --------------------------------------------------------------------------------------------------------
@cache
def answers_for(task: str, labels: frozenset[str]) -> dict[str, str]:
    """Answers to the task's questions that lead to these labels and no other, with none that isn't asked."""
    choices = [(None, *ANSWERS.get(name, ("no", "yes"))) for name in QUESTIONS[task]]
    given = (
        {n: a for n, a in zip(QUESTIONS[task], chosen, strict=True) if a} for chosen in itertools.product(*choices)
    )
    for own in sorted(given, key=len):
        if complete(task, own) and {k for k, v in labels_of(task, own).items() if v} == set(labels):
            return own
    raise ValueError(f"{task}: no answers lead to {sorted(labels)}")


def drawn_labels(rng, task: str, rates: Mapping[str, float]) -> frozenset[str]:
    """Labels drawn by their rates, again where no answers lead to them together."""
    while True:
        labels = frozenset(label for label in LABELS[task] if rng.random() < rates.get(label, 0.0))
        if labels in possible(task):
            return labels


def behaviours(
    rates: Mapping[str, Mapping[str, float]],
    n: int,
    *,
    tasks: Sequence[str] = ("consistency", "knowledge"),
    turns: int = 16,
    workers: int = 8,
    sources: Sequence[str] = (HUMAN,),
) -> Made:
    """`n` conversations of each contestant with a person, annotated in each task, a quarter of them twice.

    An annotator gives one turn in twenty labels drawn again. Conversations are of `turns` turns.
    """
    made = Made("abc_eval")
    for (name, own), number in itertools.product(rates.items(), range(n)):
        chat = talk(f"{name}-{number}", (HUMAN, name), [f"{name} {number} {t}" for t in range(turns + 2)])
        made.conversations[chat.conversation_id] = chat
        for task in tasks:
            item = item_of([chat], (1,), QUESTIONS[task])
            true = {t: drawn_labels(made.rng, task, own) for t in range(1, turns, 2)}
            for source in sources:
                for k in range(2 if source == HUMAN and number < n / 4 else 1):
                    answers = {}
                    for t, labels in true.items():
                        given = drawn_labels(made.rng, task, own) if made.rng.random() < 0.05 else labels
                        answers |= {(q, f"turn:{t}"): a for q, a in answers_for(task, given).items()}
                    made.annotation(item, answers, f"w{(number + k) % workers}" if source == HUMAN else "v0", source)
    return made


# -- several surveys on one set of chats -----------------------------------------------------------------------------
TRAITS = {"ada": (0.05, 0.4), "bob": (0.12, 0.35), "cleo": (0.25, 0.2), "dan": (0.3, 0.1)}
"""How often each bot contradicts itself, and how often it shows empathy."""

TURNS = 8
"""Turns of the bot in each conversation."""


class Chats(SimpleNamespace):
    """`judgements` by survey, `conversations` and the `truth` about each."""

    def annotate(self, survey: str, talks: Sequence[Conversation], answers, worker: str, seconds: float = 60.0) -> None:
        self.annotations += 1
        ids = tuple(talk.conversation_id for talk in talks)
        item = Item("-".join(["i", *ids]), ids, TURNS, ())
        own = self.judgements.setdefault(survey, [])
        own += rows(survey, f"{survey}-a{self.annotations}", f"u-{worker}", item, answers, worker, seconds=seconds)

    def chat(self, bot: str, number: int, person: str) -> Conversation:
        """One conversation of a person with a bot, whose quality depends on what the bot does in it."""
        wrong, warm = (self.rng.random(TURNS) < chance for chance in TRAITS[bot])
        texts = [f"{bot} {number} {t}" for t in range(2 * TURNS)]
        made = replace(talk(f"{bot}-{number}", (HUMAN, bot), texts), seed_exchanges=0)
        self.conversations.append(made)
        quality = 3.4 - 4 * wrong.mean() + 2.5 * (warm.mean() - 0.25) + self.rng.normal(0, 0.5)
        self.truth[made.conversation_id] = {"wrong": wrong, "warm": warm, "quality": quality, "person": person}
        return made


def by_turn(question: str, flags: Iterable[bool], words: tuple[str, str] = ("no", "yes")) -> dict:
    return {(question, f"turn:{2 * i + 1}"): words[int(flag)] for i, flag in enumerate(flags)}


def better(gap: float, least: float) -> str:
    return "neither" if abs(gap) < least else f"conversation:{int(gap < 0)}"


def chats(count: int = 24, people: int = 24, annotators: int = 10) -> Chats:
    """`count` chats a bot, in pairs by the same person; each labelled for consistency and empathy (a quarter twice),
    rated, and compared."""
    made = Chats(rng=np.random.default_rng(0), annotations=0, judgements={}, conversations=[], truth={})
    rng, pairs, number = (
        np.random.default_rng([0, 1]),
        list(itertools.combinations(TRAITS, 2)),
        dict.fromkeys(TRAITS, 0),
    )
    for place in range(count * len(TRAITS) // 2):
        person, both = f"p{place % people}", []
        for bot in pairs[place % len(pairs)]:
            both.append(made.chat(bot, number[bot], person))
            number[bot] += 1
        quality = [made.truth[own.conversation_id]["quality"] for own in both]
        for own, value in zip(both, quality, strict=True):
            answers = dict.fromkeys((("quality", "entity:1"), ("relevance", "entity:1")), rating(value))
            made.annotate("interactive", [own], answers, person)
        gap = quality[0] - quality[1] + rng.normal(0, 0.3)
        made.annotate("interactive", both, {("quality_choice", "pair"): better(gap, 0.1)}, person)
        for own in both:
            _annotations(made, own, rng, annotators)
        for worker in rng.choice(annotators, 2 if rng.random() < 0.3 else 1, replace=False):
            answers = {
                (name, "pair"): better(weight * (quality[0] - quality[1]) + rng.normal(0, 1), 0.15)
                for name, weight in (("quality", 1.0), ("proactivity", 0.0))
            }
            made.annotate("comparative", both, answers, f"w{worker}", 200 + 60 * rng.random())
    return made


def _annotations(made: Chats, own: Conversation, rng: np.random.Generator, annotators: int) -> None:
    truth, twice = made.truth[own.conversation_id], 2 if rng.random() < 0.25 else 1
    for worker in rng.choice(annotators, twice, replace=False):
        answers = by_turn("self_contradiction", truth["wrong"] ^ (rng.random(TURNS) < 0.05))
        for other in ("partner_contradiction", "redundant"):
            answers |= by_turn(other, rng.random(TURNS) < 0.1)
        made.annotate("abc_eval", [own], answers, f"w{worker}", 180 + 20 * rng.random())
    for worker in rng.choice(annotators, twice, replace=False):
        answers = by_turn("empathy", truth["warm"] ^ (rng.random(TURNS) < 0.05), ("neither", "empathetic"))
        made.annotate("abc_eval", [own], answers, f"w{worker}", 110 + 20 * rng.random())
    for worker in rng.choice(annotators, twice, replace=False):
        levels = {
            "quality": truth["quality"] + rng.normal(0, 0.8),
            "consistency": 4 - 4 * truth["wrong"].mean() + rng.normal(0, 0.9),
            "relevance": 3.5 + rng.normal(0, 1),
        }
        answers = {(name, "entity:1"): rating(level) for name, level in levels.items()}
        made.annotate("dialogue_likert", [own], answers, f"w{worker}", 150 + 30 * rng.random())


def evidence_of(made: Chats):
    """What the study of metrics needs."""
    from parlai_spotbot.analysis.metrics import StudyEvidence
    from parlai_spotbot.analysis.metrics.costs import times_of
    from parlai_spotbot.findings.survey_metrics import metrics_of, outcomes_of

    metrics, left_out = [], {}
    for name, judgements in made.judgements.items():
        found, lost = metrics_of(get_survey(name), judgements, made.conversations, [])
        metrics += found
        left_out |= lost
    every = list(itertools.chain(*made.judgements.values()))
    outcomes = outcomes_of(made.judgements["interactive"], made.conversations)
    return StudyEvidence({HUMAN: metrics}, outcomes, {HUMAN: times_of(every, metrics)}, {HUMAN: left_out})


def write_chats(made: Chats, path: Path) -> Study:
    """The study on disk, as the commands would leave it."""
    pool = bots_of(TRAITS)
    surveys = ("abc_eval", "dialogue_likert", "comparative", "interactive")
    study = Study.create(path, Plan("chitchat", pool, 4, seed=5, surveys=surveys))
    checksums.write_jsonl(study.conversations_path, made.conversations)
    for survey, judgements in made.judgements.items():
        checksums.write_jsonl(study.judgements_path(survey), judgements)
    return study


# -- next turns ------------------------------------------------------------------------------------------------------
SKILL = {("paid", "movies"): 0.65, ("paid", "ubuntu"): 0.5, ("lab", "movies"): 0.9, ("lab", "ubuntu"): 0.85}
AGES = ("21-30", "21-30", "31-40", "21-30", "41-55", "31-40")


def questions(corpus: str, count: int, candidates: int = 5) -> list[NucQuestion]:
    dialogues = tuple(
        Episode(f"{corpus}{i}", tuple(f"{corpus} word{i}x{t} said" for t in range(7))) for i in range(count)
    )
    return list(
        sample(
            Corpus(corpus, dialogues), SamplingSettings(candidates=candidates, lengths="2", questions=count)
        ).questions
    )


def chosen(
    annotation: str, unit: str, item: Item, first, second, worker: str, seconds: float = 20.0
) -> list[Judgement]:
    """The rows of a choice among next turns, as the server writes them."""
    answers = {(name, "conversation:0"): str(value) for name, value in (("first", first), ("second", second))}
    return rows("nuc", annotation, unit, item, answers, worker, control=item.control, seconds=seconds)


def said(worker: str, unit: str, **answers: str) -> list[Judgement]:
    """Rows of the questionnaire."""
    about = {(name, "annotator"): value for name, value in answers.items()}
    return rows("nuc", f"q-{worker}", unit, Item("questionnaire", (), 0, ()), about, worker)


def next_turns(path: Path) -> Study:
    """24 paid people, 8 of a lab, 12 questions each; one of the lab misses a check; the lab is better and slower."""
    pool = bots_of(("tfidf", "eliza"), "spotbot:{}")
    study = Study.create(path, Plan("chitchat", pool, seed=5))
    write_questions(path / "nuc" / "questions.jsonl", [*questions("movies", 40), *questions("ubuntu", 60)])
    groups = yaml.safe_load("""
        paid: {people: 24, corpora: {movies: 1, ubuntu: 1}, recruited: paid}
        lab: {people: 8, corpora: {movies: 1, ubuntu: 2}, recruited: lab}
    """)
    (path / "groups.yaml").write_text(yaml.safe_dump({"subject": "Ubuntu", "groups": groups}), encoding="utf-8")
    pack_study(study, "nuc", unit_size=12, annotators_per_segment=2, groups=path / "groups.yaml")
    write_controls(study.load("nuc"))
    checksums.write_jsonl(study.judgements_path("nuc"), answers_of(study))
    return study


def answers_of(study: Study) -> list[Judgement]:
    """What everybody answers about the packed questions of next turns."""
    rng, key, made = np.random.default_rng(3), key_of(study.load("nuc")), []
    check = read_controls(study.load("nuc"))[0]
    for number, unit in enumerate(study.units("nuc")):
        worker = f"w{number:02d}"
        for place, item in enumerate(unit.items):
            question = key[item.item_id]
            order = [question.true, *rng.permutation([k for k in range(5) if k != question.true])]
            if rng.random() > SKILL[unit.group, question.corpus]:
                place_of_true = 1 if rng.random() < 0.5 else 2
                order[0], order[place_of_true] = order[place_of_true], order[0]
            picks = (f"candidate:{k}" for k in order[:2])
            made += chosen(
                f"a{number}-{place}", unit.unit_id, item, *picks, worker, 30.0 if unit.group == "lab" else 20.0
            )
        right = check.control.removeprefix("known_")
        both = (right, "candidate:0" if right != "candidate:0" else "candidate:1")
        made += chosen(f"c{number}", unit.unit_id, check, *both[:: -1 if number == 0 else 1], worker)
        if number % 3:
            expertise = "expert" if unit.group == "lab" else "none"
            made += said(worker, unit.unit_id, age=AGES[number % 6], gender="untold", expertise=expertise)
    return made


def scored(study: Study) -> None:
    """What spotbot_nuc leaves for two models: "tfidf" scores all candidates alike, "eliza" the true one highest in the
    first half of the questions."""
    asked = read_questions(study.path / "nuc" / "questions.jsonl")
    table = []
    for name, way in (("tfidf", "ranker"), ("eliza", "similarity")):
        lines = []
        for number, question in enumerate(asked):
            values = [0.0] * len(question.candidates)
            if name == "eliza":
                values[question.true] = 1.0 if number % 2 else -1.0
            lines.append({"question_id": question.question_id, "contestant": name, "way": way, "values": values})
        checksums.write_jsonl(study.path / "nuc" / "scores" / f"{name}.jsonl", lines)
        table.append({"contestant": name, "way": way, "main": True})
    ranking = {"contestants": table, "order": ["tfidf", "eliza"], "k": [1, 2], "made_by": {"seed": 0}}
    checksums.write_json(study.path / "nuc" / "analysis" / "ranking.json", ranking)
