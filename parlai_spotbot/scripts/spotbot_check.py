"""``parlai spotbot_check``: whether a study's files are what was written, what is wrong, and how to fix it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.result import DONE, PARTLY
from parlai_spotbot.wording import counted

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths


class SpotbotCheck(Command):
    def execute(self) -> int:
        from parlai_spotbot import files
        from parlai_spotbot.study import Study

        folder = Path(self.opt["place"] or self.opt["study"])
        if not (self.opt["place"] or self.opt["study"]):
            raise UserError("STUDY missing.", "Name the study's folder; --help shows an example.")
        if not Study.exists(folder):
            Study.open(folder)  # says what is missing
        from parlai_spotbot.crowdsourcing.check import check_collections, restore
        from parlai_spotbot.study_check import check_study, record_as_they_are

        if self.opt["new_manifest"]:
            with files.lock(folder / ".lock", "spotbot_check"):
                changed = record_as_they_are(folder)
            print(f"recorded as they are; changed by hand: {', '.join(changed) or 'none'}")
        if self.opt["restore"]:
            restored = restore(_collections(folder))
            print("\n".join(restored) or "no ledger is damaged, so none was restored")
        checked = list(check_study(folder))
        if not any(one.problem for one in checked[:1]):
            checked += check_collections(_collections(folder))
        for one in checked:
            name = str(one.path)
            if one.path.is_relative_to(folder):
                name = str(one.path.relative_to(folder))
            if one.problem:
                print(f"WRONG  {one.problem}\n       {one.remedy}")
            else:
                print(f"ok     {': '.join(filter(None, (name, one.said)))}")
        wrong = [str(one.path) for one in checked if one.problem]
        self.result.figures = {"files": len(checked), "wrong": wrong}
        self.result.said = f"{counted(len(checked), 'file')}, all sound"
        if wrong:
            self.result.said = f"{counted(len(checked), 'file')}, {len(wrong)} with a problem"
        print(f"\n{self.result.said}")
        if wrong:
            return PARTLY
        return DONE


def _collections(folder: Path) -> Iterator[CollectionPaths]:
    """Yield the files of each collection of the study in a folder."""
    from parlai_spotbot.crowdsourcing.check import collections
    from parlai_spotbot.study import Study

    return collections(Study.open(folder, verify=False))


COMMAND = SpotbotCheck
