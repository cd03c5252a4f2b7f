"""``parlai spotbot_collect``: what people answered in their browsers becomes the study's judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.result import DONE
from parlai_spotbot.wording import with_singulars

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.collect import CollectResult
    from parlai_spotbot.study import Study


class SpotbotCollect(Command):
    def execute(self) -> int:
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import get_survey

        study, survey, who = Study.open(self.opt["study"]), self.opt["survey"], self.opt["withdraw"]
        get_survey(survey)
        from parlai_spotbot.crowdsourcing.collect import collect
        from parlai_spotbot.crowdsourcing.withdraw import withdraw

        with study.lock("spotbot_collect"):
            if who is not None:
                print(f"withdrawn: {who}; the answers to {withdraw(study, survey, who)} units are deleted\n")
            collected = collect(study, survey)
        print(text := report(collected, study, survey))
        self.result.said, self.result.figures = text.partition("\n")[0], collected.figures()
        self.result.wrote(judgements=study.judgements_path(survey))
        if collected.unfinished:
            self.result.missing["unit that nobody has finished"] = collected.unfinished
        if collected.rows:
            self.say_next(study, survey)
        elif who is not None:
            return DONE
        return self.accounted(
            collected.rows, "Collect again when more units are finished.", "no finished unit can be used"
        )


def report(collected: CollectResult, study: Study, survey: str) -> str:
    """Return what was collected, the annotators to check, and where the files are."""
    from parlai_spotbot.crowdsourcing.annotator_summary import table
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths

    rows, chats, folder = collected.rows, collected.chats, CollectionPaths.of(study, survey).shared
    left_out = {
        "units rejected": collected.rejected,
        "units of annotators who withdrew": collected.withdrawn,
        f"units of {collected.strangers} annotators that MTurk doesn't list, or not yet": collected.unknown,
        "judgements there before, left out now": collected.removed,
    }
    lines = [f"finished units: {collected.units}; judgements: {len(rows)}, {collected.added} of them new"]
    lines += [f"left out: {count} {what}" for what, count in left_out.items() if count]
    if chats:
        lines.append(f"conversations: {chats.conversations} of people with contestants, {chats.added} of them new")
        if chats.removed:
            lines.append(f"taken out again: {chats.removed} conversations, rejected or withdrawn since the last time")
        for name, units in chats.shown.items():
            lines.append(f"warning: {units} units of {name} still show such a conversation: stop that collection")
    if len(collected.look):
        lines += ["", table(collected.look), ""]
    lines.append(f"answers: {study.judgements_path(survey)}; comments: {collected.comments}")
    return with_singulars("\n".join([*lines, f"who is who (keep it to yourself): {folder}"]))


COMMAND = SpotbotCollect
