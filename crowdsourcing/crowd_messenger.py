"""What the desk tells the crowd (the platform): how hand-outs ended and where annotators stand, until it has heard."""

from __future__ import annotations

import logging
import sqlite3

from parlai_spotbot.crowdsourcing.ledger_entries import Annotator, Handout
from parlai_spotbot.crowdsourcing.reception import Reception

log = logging.getLogger("parlai_spotbot.crowdsourcing.desk")


class CrowdMessenger(Reception):
    """A part of `desk.Desk`."""

    def _end(self, handout: Handout, status: str) -> bool:
        if not self.ledger.end(handout.handle, status, self.clock()):
            return False
        self.stock.release(handout.unit_id)
        self._tell(self.ledger.handout(handout.handle))
        return True

    def _catch_up(self) -> int:
        """Tell everything that is not told; returns how much that was."""
        told = [self._tell(handout) for handout in self.ledger.handouts("told = 0 AND status <> 'open'")]
        told += [self._tell_standing(annotator) for annotator in self.ledger.annotators() if not annotator.told]
        return sum(told)

    def _tell(self, handout: Handout) -> bool:
        """Tell the crowd how a hand-out ended. What it can't take in now is told later: the ledger has it."""
        try:
            if handout.agent_id is None:
                pass
            elif handout.status == "done":
                self.crowd.completed(handout.agent_id, self.ledger.submission(handout.handle).record)
            else:
                # A unit that was ended without blame (`leave`) is void here, and given back for the platform.
                self.crowd.gone(handout.agent_id, "returned" if handout.status == "void" else handout.status)
            self.ledger.told(handout.handle)
        except Exception as err:
            log.error("unit %s: the crowd could not be told: %s", handout.unit_id, err, exc_info=is_a_surprise(err))
            return False
        return True

    def _tell_standing(self, annotator: Annotator) -> bool:
        """Tell the crowd where an annotator stands; as `_tell`."""
        try:
            if annotator.standing != "new":
                self.crowd.qualified(annotator.worker, annotator.standing == "passed")
            self.ledger.told_standing(annotator.worker)
        except Exception as err:
            log.error("the crowd could not be told of a qualification: %s", err, exc_info=is_a_surprise(err))
            return False
        return True


def is_a_surprise(err: Exception) -> bool:
    """Whether the log should say where the error came from: not for a full disk, which comes again and again."""
    return not isinstance(err, (sqlite3.OperationalError, OSError))
