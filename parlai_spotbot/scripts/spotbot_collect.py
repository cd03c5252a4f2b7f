"""``parlai spotbot_collect``: what people answered in their browsers becomes the study's judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot import hints
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.result import DONE
from parlai_spotbot.wording import filled

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.collect import CollectResult
    from parlai_spotbot.study import SurveyFiles


class SpotbotCollect(Command):
    def execute(self) -> int:
        from parlai_spotbot.surveys import study_survey

        study = self.study
        survey = self.opt["survey"]
        data = study.load(survey)
        study_survey(data)
        if self.opt["withdraw"] is not None:
            return self._withdraw(self.opt["withdraw"])
        from parlai_spotbot.crowdsourcing.collect import collect

        with study.lock("spotbot_collect"):
            collected = collect(study, survey)
        self.tell(report(collected, data))
        self.result.figures = collected.figures()
        self.result.wrote(judgements=data.judgements_path)
        if collected.unfinished:
            self.result.missing["unit that nobody has finished"] = collected.unfinished
        again = "Collect again when more units are finished."
        if not collected.rows:
            return self.accounted(again, "no finished unit can be used")
        self.say_next(data)
        return self.accounted(again)

    def _withdraw(self, who: str) -> int:
        """Delete all that somebody answered, in every survey, and say what is left to do."""
        from parlai_spotbot.crowdsourcing.withdraw import withdraw

        study = self.study
        with study.lock("spotbot_collect"):
            done = withdraw(study, who)
        self.result.said = f"withdrawn: {who}"
        self.result.figures = {"units": done.units, "judgements": done.judgements}
        print(self.result.said)
        lines = self.about["withdrawal"]
        for survey in {**done.judgements, **done.units}:
            counts = {"rows": done.judgements.get(survey, 0), "units": done.units.get(survey, 0)}
            print(filled(lines["survey"], survey=survey, **counts))
        for survey in done.analysed:
            print(filled(lines["analysed"], survey=survey, command=hints.command("analyze", study.path, survey)))
        for path in done.exported:
            print(filled(lines["exported"], path=path))
        return DONE


def report(collected: CollectResult, data: SurveyFiles) -> str:
    """Return what was collected, the annotators to check, and where the files are."""
    from parlai_spotbot.crowdsourcing.annotator_summary import table
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths

    lines = SpotbotCollect.about["lines"]
    chats = collected.chats
    values = {
        "it": collected,
        "rows": len(collected.rows),
        "answers": data.judgements_path,
        "folder": CollectionPaths(data.study, data.survey).shared,
    }
    printed = [filled(lines["units"], **values)]
    printed += [filled(text, **values) for name, text in lines["left_out"].items() if getattr(collected, name)]
    if chats:
        printed += [
            filled(text, chats=chats) for name, text in lines["chats"].items() if name == "all" or chats.removed
        ]
        printed += [filled(lines["shown"], name=name, units=units) for name, units in chats.shown.items()]
    if len(collected.look):
        printed += ["", table(collected.look), ""]
    return "\n".join([*printed, filled(lines["end"], **values)])


COMMAND = SpotbotCollect
