"""A study that begins without self-play: its plan and its domain are written, conversations come another way."""

from pathlib import Path

from parlai_spotbot.domains import keep_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay.plan import PlanDecision, SelfPlayRequest, decide
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.terminal import Say


def begin(path: Path, request: SelfPlayRequest, say: Say = print) -> Study:
    """The study at `path` with what is asked; made where there is none, extended by further contestants where there is.

    The caller holds the study (`play.claimed`). Raises `UserError` where what is asked contradicts the study.
    """
    decision = decide(path, request)
    study = carry_out(path, decision, say)
    if decision.study is None:
        say(f"a new study of {', '.join(decision.plan.contestants)}: {study.plan_path}")
    return study


def carry_out(path: Path, decision: PlanDecision, say: Say) -> Study:
    """Write what was decided: a new study's plan and domain, or what extends the study."""
    if decision.study is None:
        keep_domain(decision.domain, path)
        return Study.create(path, decision.plan)
    if decision.extension:
        decision.study.extend(**decision.extension)
        say(f"the study is extended by: {', '.join(decision.extension)}")
    return decision.study


def begin_chats(path: Path, survey: str, pool: str | None, domain: str | None) -> Study:
    """`begin` for a survey in which people chat with the contestants of a pool, or answer questions of a corpus.

    Raises `UserError` for other surveys: their conversations have to be there.
    """
    packing = packing_of(get_survey(survey))
    if packing.of_conversations or packing.comes_in:
        raise UserError(
            f"{'--domain' if pool is None else '--pool'}: survey {survey} shows existing conversations.",
            "Leave it out, or make them with spotbot_selfchat.",
        )
    return begin(path, SelfPlayRequest(contestants=None if pool is None else read_pool(pool), domain=domain))
