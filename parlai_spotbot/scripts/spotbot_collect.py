"""``parlai spotbot_collect``: what people answered in their browsers becomes the study's judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot.scripts.command import Command, add_common
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.result import COUNTED, DONE

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.chat.collecting import ChatResult
    from parlai_spotbot.crowdsourcing.collect import CollectResult
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
    from parlai_spotbot.study import Study


class SpotbotCollect(Command):
    DESCRIPTION = "Bring what people answered into the study's judgements, and say whom to look at"
    EPILOG = """\
  parlai spotbot_collect --study studies/mine
      At any time, any number of times, also while people annotate: every finished unit is in judgements.jsonl once.
  parlai spotbot_collect --study studies/mine --keep-worker-ids
      With the platform's worker ids instead of pseudonyms. Such a file is not for sharing.
  parlai spotbot_collect --study studies/mine --withdraw 3e81bc178df6de2d
      Somebody withdraws: their answers and comments are deleted, here and wherever the collection keeps them.
  parlai spotbot_collect --study studies/mine --submissions prolific_export.csv
      Leaves out whom Prolific doesn't know, now and in later collections; MTurk is asked by itself.
  Work that Mephisto's tools rejected is left out: spotbot mephisto --study studies/mine examine"""
    FIRST = ("--study", "--survey", "--withdraw", "--submissions", "--keep-worker-ids")
    CODES = COUNTED
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Collecting")
        group.add_argument(
            "--keep-worker-ids", action="store_true", help="write worker ids as the platform has them, no pseudonyms"
        )

        group.add_argument(
            "--task",
            dest="part",
            default="",
            metavar="NAME",
            help="only this task of a survey that is annotated task by task (default: all that were launched)",
        )
        group.add_argument(
            "--withdraw",
            metavar="NAME",
            help="first delete all answers of this annotator (pseudonym or worker id); no launch may be running",
        )
        group.add_argument(
            "--submissions",
            metavar="FILE",
            help="Prolific's export of the study's submissions (CSV): who isn't in it is left out",
        )

    def execute(self) -> int:
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import get_survey

        study, survey = Study.open(self.opt["study"]), self.opt["survey"]
        get_survey(survey)
        from parlai_spotbot.crowdsourcing.collect import collect
        from parlai_spotbot.crowdsourcing.collection_paths import check_task
        from parlai_spotbot.crowdsourcing.platforms.participant_lists import read_export

        check_task(survey, self.opt["part"], needed=False)
        submissions = read_export(self.opt["submissions"]) if self.opt["submissions"] else []
        with study.lock("spotbot_collect"):
            if self.opt["withdraw"] is not None:
                from parlai_spotbot.crowdsourcing.withdraw import withdraw

                units = withdraw(study, survey, self.opt["withdraw"])
                print(f"withdrawn: {self.opt['withdraw']}; the answers to {units} units are deleted\n")
            collected = collect(study, survey, self.opt["keep_worker_ids"], self.opt["part"], submissions)
        print(text := said(collected, study, survey))
        self.result.said, self.result.figures = text.partition("\n")[0], collected.figures()
        self.result.wrote(judgements=study.judgements_path(survey))
        self.result.missing = missing_of(collected)
        if collected.rows:
            self.say_next(study, survey)
        elif self.opt["withdraw"] is not None:
            return DONE
        return self.accounted(
            collected.rows, "Collect again when more units are finished.", "no finished unit can be used"
        )


def missing_of(collect_result: CollectResult) -> dict[str, int]:
    """Return the units without answers, by reason; work that was rejected or withdrawn is left out on purpose."""
    counts = {
        "unit that nobody has finished": collect_result.unfinished,
        "unit that ended because a contestant broke down": len(collect_result.chats.left)
        if collect_result.chats
        else 0,
    }
    return {what: n for what, n in counts.items() if n}


def _platform(collect_result: CollectResult) -> list[str]:
    """Return whom the platform doesn't know, and what isn't known of that."""
    name = "Prolific" if collect_result.provider == "prolific" else "MTurk"
    lines = []
    if collect_result.unknown:
        lines.append(
            f"left out: {collect_result.unknown} units of {collect_result.strangers} annotators whom {name} doesn't "
            f"know, or not yet (they stay in the ledger)"
        )
    if collect_result.provider == "prolific" and collect_result.listed is None:
        lines.append(
            "not yet held against Prolific's list of submissions: spotbot_collect --submissions FILE.csv leaves out "
            "whom it doesn't know"
        )
        if not collect_result.verified:
            lines.append("warning: annotators' ids are not verified: one person may have taken part as many")
    return lines


def _chats(chat_result: ChatResult, study: Study, paths: CollectionPaths) -> list[str]:
    """Return what came of the chats."""
    lines = [f"conversations: {chat_result.conversations} of people with contestants, {chat_result.added} of them new"]
    if chat_result.removed:
        lines.append(f"taken out again: {chat_result.removed} conversations, rejected or withdrawn since the last time")
    for survey, units in chat_result.shown.items():
        lines.append(f"warning: {units} units of {survey} still show such a conversation: stop that collection")
    if chat_result.left:
        lines.append(
            f"ended because a contestant broke down: {len(chat_result.left)} units, for you to credit: {paths.credit}"
        )
    return [*lines, f"they are in {study.conversations_path}, for every survey (--source human_model)"]


def said(collect_result: CollectResult, study: Study, survey: str) -> str:
    """Return what was collected, whom to look at, and where it all is."""
    from parlai_spotbot.crowdsourcing.annotator_summary import table
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths

    paths = CollectionPaths.of(study, survey)
    lines = [
        f"finished units: {collect_result.units}; judgements: {len(collect_result.rows)}, {collect_result.added} of "
        f"them new"
    ]
    if collect_result.rejected:
        lines.append(f"left out: {collect_result.rejected} units that Mephisto's tools rejected")
    if collect_result.withdrawn:
        lines.append(f"left out: {collect_result.withdrawn} units of annotators who withdrew")
    lines += _platform(collect_result)
    if collect_result.removed:
        lines.append(f"taken out again: {collect_result.removed} judgements, left out since the last time")
    if collect_result.chats:
        lines += _chats(collect_result.chats, study, paths)
    if collect_result.look:
        lines += ["", table(collect_result.look)]
    if collect_result.game_points:
        winners = [
            f"{collect_result.names[row.worker]} ({row.points:g} points)"
            for row in collect_result.game_points
            if row.wins
        ]
        lines += [
            "",
            f"most points so far, so the bonus would be theirs: {', '.join(winners)}",
            f"bonus:    {paths.bonus}",
        ]
    lines += ["", f"answers:  {study.judgements_path(survey)}"]
    if collect_result.comments:
        lines.append(f"comments: {study.survey_path(survey) / 'comments.jsonl'} ({collect_result.comments})")
    training = study.survey_path(survey) / "training.jsonl"
    if training.exists():
        lines.append(f"training: {training}")
    lines.append(f"who is who (keep it to yourself): {paths.annotators}")
    return "\n".join(lines)


COMMAND = SpotbotCollect
