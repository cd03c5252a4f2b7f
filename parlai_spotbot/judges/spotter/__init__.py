"""The spotter: a trained detector that answers Spot The Bot's questions (paper, section 3.1).

Each conversation of two bots is judged by models that have seen neither of them, nor any text of the human pool: they
are trained on people of the judges' fold, on conversations between the study's other bots, and on corrupted turns of
people. A conversation between people is judged by one of these models, drawn by the seed.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from parlai_spotbot.analysis.frames import BOTH
from parlai_spotbot.domains import Domain, domain_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import SPOTTED, Judge
from parlai_spotbot.judges.spotter import examples as ex
from parlai_spotbot.judges.spotter.coherence import DESCRIPTION, FEATURES, Coherence
from parlai_spotbot.judges.spotter.corruptions import KINDS, corrupted
from parlai_spotbot.judges.spotter.detector import CORRUPTED_SHARE, NO_DIFFERENCE_SHARE, UNSURE_SHARE, Detector
from parlai_spotbot.judges.spotter.feature_rows import FeatureRows
from parlai_spotbot.judges.spotter.features import BEYOND, FAR, Closeness
from parlai_spotbot.judges.spotter.standins import StandInBots
from parlai_spotbot.records import HUMAN, Item, Judgement, Unit, indexed
from parlai_spotbot.sequential.registration import items_to_judge
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.terminal import Bar
from parlai_spotbot.texts.surface import SURFACES

RULE = (
    "A conversation is judged by models trained without its two bots (and without contestants that are the same model "
    "under another name), on people of the judges' fold and on conversations between the study's other bots; "
    f"if there are fewer than {ex.MIN_CONVERSATIONS} of these, shipped bots that are not judged are added, "
    "talking to each other from openings of the judges' fold. "
    "A conversation between people is judged by one of these models, drawn by the seed, the same for all its segments. "
    f"The models also learn from people's turns corrupted in {len(KINDS)} ways ({', '.join(KINDS)}), "
    f"with {CORRUPTED_SHARE:.0%} of the weight of non-human examples. "
    "Probabilities are calibrated on folds that leave whole bots and people out, as if both were equally frequent. "
    f"Unsure: the {UNSURE_SHARE:.0%} of held-out examples nearest to one half, and entities that would be called human "
    f"but whose turns are less close to the partner's turns before them than those of {1 - FAR:.0%} of the people. "
    f"No difference: the {NO_DIFFERENCE_SHARE:.0%} smallest differences between other bots. "
    f"Text whose most unusual features are farther from people's mean than those of {BEYOND:.1%} of the people has "
    "less of every feature than other text."
)


class Spotter(Judge):
    """See the module; `models` maps the bots left out to the trained model."""

    name = "spotter"
    version = 5
    workers = (name,)
    features = FEATURES
    """Those that are asked about."""

    def open(self, data: SurveyFiles) -> None:
        super().open(data)
        if data.survey not in SPOTTED:
            raise UserError(
                f"--survey {data.survey}: the judge {self.name} can't answer its questions.",
                f"It answers: {', '.join(SPOTTED)}.",
            )
        self.features = features_of(survey_of(data))
        unknown = [name for name in self.features if name not in FEATURES]
        if unknown:
            raise UserError(
                f"{data.units_path}: the judge {self.name} has not learnt what '{unknown[0]}' is.",
                f"It knows {', '.join(FEATURES)}. A language model can be asked anything: --judges MODELS.yaml",
            )

    def answers_to(self, item: Item) -> int:
        return len(item.judged or BOTH) + len(self.features)

    def prepare(self, data: SurveyFiles, progress: bool = True) -> None:
        self.conversations = data.study.conversations()
        self._read(items_to_judge(data), data.units_path)
        packed = data.recorded("pack").get("options", {})
        self.surface = packed.get("surface", "normalise")  # what is learnt from looks like what is judged
        self._gather(data.plan, domain_of(data.study.path, data.plan.domain))
        coherence = self._coherence(progress)
        self.models: dict[tuple[str, ...], Detector] = {}
        with threadpool_limits(limits=1):  # small matrices: threads only wait for each other, and round differently
            for key in Bar.over(self.keys, "training", unit="model", shown=progress):
                self.models[key] = Detector(coherence, self.examples, self.closeness, self._rows(key))

    # -- what is to be judged, and by which model ----------------------------------------------------------------------
    def _read(self, items: Sequence[Item], path: Path) -> None:
        self.entities = {c.conversation_id: c.entities for c in self.conversations}
        for item in items:
            unknown = [c for c in item.conversation_ids if c not in self.entities]
            if unknown and not item.control:  # it would be judged by models that may know its bots
                raise UserError(
                    f"{path}: item {item.item_id}: field 'conversation_ids' names {unknown[0]!r}, which the study "
                    "lacks.",
                    "Pack the units again from this study's conversations.",
                )
        self.items = {item.item_id: item for item in items}
        self.lengths = sorted({item.exchanges for item in self.items.values() if item.control is None})
        bots = {self._bots(item) for item in self.items.values()} - {()}
        self.keys = sorted(bots) or [()]

    def _bots(self, item: Item) -> tuple[str, ...]:
        """The contestants of an item, sorted, each once: what a model must never have seen."""
        return tuple(sorted({e for c in item.conversation_ids for e in self.entities.get(c, ())} - {HUMAN}))

    # -- what is learnt from -------------------------------------------------------------------------------------------
    def _gather(self, plan: Plan, domain: Domain) -> None:
        lengths = self.lengths
        show = SURFACES[self.surface]
        self.domain = domain.name
        people = domain.episodes("judges")
        start = 2
        if plan.unseeded:
            start = 0
        self.people = ex.of_people(people, lengths, self.seed, show, start)
        if not self.people:
            raise UserError(
                f"domain {domain.name}: its fold for judges has no conversation of {1 + min(lengths)} exchanges.",
                "Use shorter segments.",
            )
        self.corrupted = corrupted(self.people, lengths, self.seed, show)
        order = np.random.default_rng(self.seed).permutation(len(self.conversations))
        standins = StandInBots(plan, people, max(lengths), self.seed)
        self.sources = {}
        self.standins = []
        bots = {}
        for key in self.keys:
            excluded = ex.kin(plan, key)
            bot_examples = ex.without([self.conversations[i] for i in order], excluded)[: ex.MAX_CONVERSATIONS]
            added = []
            if len(bot_examples) < ex.MIN_CONVERSATIONS:
                added = standins.without(excluded)
            self.sources[key] = (bot_examples, added)
            bots.update(indexed(bot_examples))
        self.bots = ex.of_bots(bots.values(), lengths, show)
        if any(added for _, added in self.sources.values()):
            self.standins = ex.of_bots(standins.played, lengths, show)

    def _coherence(self, progress: bool) -> Coherence:
        learnt = [self.people, self.corrupted, self.standins]
        self.examples = [*itertools.chain(*learnt), *self.bots]
        self.row_of: dict[tuple[str, int], int] = {}
        for item in self.items.values():
            for example in ex.both(tuple(u.text for u in item.transcripts[0]), ("", ""), item.item_id):
                self.row_of[item.item_id, example.entity] = len(self.examples)
                self.examples.append(example)
        self.feature_rows = rows = FeatureRows(progress)
        frames = [rows.kept(examples) for examples in learnt if examples]
        self.frame = pd.concat([*frames, rows.of(self.examples[sum(map(len, learnt)) :])], ignore_index=True)
        self.closeness = Closeness(self.examples, self.frame["close_to_partner"])
        return Coherence(self.examples, self.frame)

    def _rows(self, key: tuple[str, ...]) -> np.ndarray:
        conversations, added = self.sources[key]
        names = {c.conversation_id for c in conversations + added}
        first = len(self.people) + len(self.corrupted)
        bots = [first + i for i, e in enumerate(self.standins + self.bots) if e.conversation in names]
        return np.array([*range(first), *bots])

    # -- answering -----------------------------------------------------------------------------------------------------
    def answer(self, unit: Unit) -> list[Judgement]:
        rows = []
        for item in self.items_of(unit):
            key = self._bots(item) or ex.assign(self.keys, "/".join(item.conversation_ids), self.seed)
            model = self.models[key]
            places = [self.row_of[item.item_id, entity] for entity in BOTH]
            for entity in item.judged or BOTH:
                rows.append(self.judgement(unit, item, f"entity:{entity}", "nature", model.nature(places[entity])))
            preferences = model.preferences(*(self.examples[place] for place in places))
            rows += [self.judgement(unit, item, "pair", feature, preferences[feature]) for feature in self.features]
        return rows

    def describe(self) -> dict:
        leaving_out = {}
        for key, (conversations, added) in self.sources.items():
            names = sorted({name for c in conversations + added for name in c.entities})
            counts = {"conversations": len(conversations), "stand_in_conversations": len(added)}
            leaving_out[" and ".join(key) or "people"] = {"bots": names, **counts}
        trained_on = {"domain": self.domain, "fold": "judges", "leaving_out": leaving_out}
        return {"rule": RULE, "trained_on": trained_on, "variants": {self.workers[0]: {"description": DESCRIPTION}}}


JUDGE = Spotter
