"""Forecast of the requests, tokens and money that contestants behind chat servers will take."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from parlai_spotbot.agents.openai_chat.options import ChatServerOptions, options
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.chat.message_text import TOKENS_PER_MESSAGE, tokens
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.schedule import ConversationJob
from parlai_spotbot.terminal import Say
from parlai_spotbot.wording import filled

SERVED = "spotbot:openai_chat"
USUAL = 40
"""Tokens of a turn, about two sentences."""


def prompt_tokens(
    name: str, server: ChatServerOptions, jobs: Sequence[ConversationJob], exchanges: int, turn: float
) -> int:
    """Return the tokens of the prompts of a contestant's turns, where every turn that is played has `turn` of them."""
    total = tokens(server.system) + 2 * USUAL  # of the request by which it is tried
    for job in jobs:
        seed = sum(map(tokens, job.seed.turns))
        for side in sides_of(name, job):
            constant = tokens(server.system + job.seed.context[side]) + seed
            for place in range(exchanges):
                history = (2 * place + side) * (turn + TOKENS_PER_MESSAGE)
                total += min(constant + history, server.room)
    return round(total)


def sides_of(name: str, job: ConversationJob) -> list[int]:
    """Return which sides of a conversation a contestant has."""
    return [side for side, entity in enumerate(job.entities) if entity == name]


def forecasts(
    contestants: Mapping[str, Contestant], groups: Sequence[Sequence[ConversationJob]], exchanges: int
) -> list[dict]:
    """Return the forecast of each contestant behind a chat server.

    `cost` is None without prices, `here` whether this machine serves. The most holds where no turn is longer than the
    contestant's may be, and none has to be asked for again.
    """
    from parlai_spotbot.models.chat.client import is_local

    rows = []
    for name, contestant in contestants.items():
        jobs = [job for group in groups for job in group if name in job.entities]
        if contestant.model != SERVED or not jobs:
            continue
        server = options(contestant.opt, f"contestant '{name}'")
        longest = server.max_new_tokens
        usual = min(USUAL, longest)
        requests = 1 + exchanges * sum(len(sides_of(name, job)) for job in jobs)
        read = prompt_tokens(name, server, jobs, exchanges, usual)
        written = requests * usual
        row = {"contestant": name, "requests": requests, "prompt_tokens": read, "completion_tokens": written}
        row |= {"cost": None, "here": is_local(urlsplit(server.url).hostname or "")}
        if server.priced:
            row |= {"cost": server.cost(read, written), "currency": server.currency}
            most = prompt_tokens(name, server, jobs, exchanges, longest)
            row["cost_at_most"] = server.cost(most, requests * longest)
        rows.append(row)
    return rows


def tell(rows: Sequence[Mapping], say: Say) -> None:
    """Say what each contestant takes."""
    for row in rows:
        text = (
            "{contestant} asks its server for about {requests:request}, with {prompt_tokens:token} and "
            "{completion_tokens:,} of answers: "
        )
        if row["cost"] is None:
            text += "cost unknown (openai_price_prompt and openai_price_completion, for a million tokens)"
        else:
            text += "about {cost:.4f} {currency}, at most {cost_at_most:.4f} if none has to be asked again"
        say(filled(text, **row))


def check_cost(rows: Sequence[Mapping], limit: float | None) -> None:
    """Raise `UserError` where a contestant may cost more than the limit, or nobody knows what it costs."""
    if limit is None:
        return
    if not limit > 0:
        raise UserError(f"--max-cost {limit:g}: expected more than 0.", "Leave it out for no limit.")
    for row in rows:
        if row["cost"] is None and not row["here"]:
            raise UserError(
                f"--max-cost {limit:g}: no prices of {row['contestant']}.",
                "Add openai_price_prompt and openai_price_completion (for a million tokens) to its options.",
            )
        if (row["cost"] or 0) and row["cost_at_most"] > limit:
            text = "--max-cost {0:g}: {contestant} may cost {cost_at_most:.4f} {currency}; nothing was played."
            raise UserError(
                filled(text, limit, **row), "Raise it, or ask for fewer --conversations-per-pair or --exchanges."
            )
