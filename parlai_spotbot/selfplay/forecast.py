"""Forecast of what contestants behind chat servers take, before they are asked: requests, tokens and money."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
"""Tokens of a turn, where nothing is known of the contestant: about two sentences."""
ENOUGH = 20
"""Requests of earlier runs from which the length of a reply is taken."""


@dataclass(frozen=True)
class ChatForecast:
    """What a contestant's turns in `jobs` of so many `exchanges` take; `usual` tokens are in one of its replies."""

    name: str
    server: ChatServerOptions
    jobs: Sequence[ConversationJob]
    exchanges: int
    usual: float

    @cached_property
    def requests(self) -> int:
        """Return how many turns it is asked for, and the request by which it is tried."""
        sides = [entity == self.name for job in self.jobs for entity in job.entities]
        return sides.count(True) * self.exchanges + 1

    def prompt_tokens(self, turn: float) -> int:
        """Return the tokens of all prompts where every turn that is played has `turn` tokens."""
        total = tokens(self.server.system) + 2 * USUAL
        for job in self.jobs:
            seed = sum(map(tokens, job.seed.turns))
            for side, entity in enumerate(job.entities):
                if entity != self.name:
                    continue
                known = tokens(self.server.system + job.seed.context[side]) + seed
                for place in range(self.exchanges):
                    said = (2 * place + side) * (turn + TOKENS_PER_MESSAGE)
                    total += min(known + said, self.server.room)
        return round(total)

    def to_json(self) -> dict:
        """Return requests, tokens and costs; `cost` is None without prices, `here` whether this machine serves.

        The most holds where no turn is longer than this contestant's may be, and none has to be asked for again.
        """
        from parlai_spotbot.models.chat.client import is_local

        longest = self.server.max_new_tokens
        forecast = {
            "contestant": self.name,
            "requests": self.requests,
            "prompt_tokens": self.prompt_tokens(self.usual),
            "completion_tokens": round(self.requests * self.usual),
            "prompt_tokens_at_most": self.prompt_tokens(longest),
            "completion_tokens_at_most": self.requests * longest,
            "cost": None,
            "here": is_local(urlsplit(self.server.url).hostname or ""),
        }
        if self.server.priced:
            usual = self.server.cost(forecast["prompt_tokens"], forecast["completion_tokens"])
            most = self.server.cost(forecast["prompt_tokens_at_most"], forecast["completion_tokens_at_most"])
            forecast |= {"cost": usual, "cost_at_most": most, "currency": self.server.currency}
        return forecast


def forecasts(
    contestants: Mapping[str, Contestant],
    groups: Sequence[Sequence[ConversationJob]],
    exchanges: int,
    played: Mapping[str, Mapping],
) -> list[dict]:
    """Return the forecast of each contestant behind a chat server; `played` has the accounts of earlier runs."""
    rows = []
    for name, contestant in contestants.items():
        jobs = [job for group in groups for job in group if name in job.entities]
        if contestant.model == SERVED and jobs:
            server = options(contestant.opt, f"contestant '{name}'")
            usage = played.get(name, {}).get("usage", {})
            usual = min(USUAL, server.max_new_tokens)
            if usage.get("requests", 0) >= ENOUGH and usage.get("completion_tokens"):
                usual = min(usage["completion_tokens"] / usage["requests"], server.max_new_tokens)
            rows.append(ChatForecast(name, server, jobs, exchanges, usual).to_json())
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
    """Raise `UserError` where self-play may cost more than the limit, or nobody knows."""
    if limit is None or not rows:
        return
    if not limit > 0:
        raise UserError(f"--max-cost {limit:g}: expected more than 0.", "Leave it out for no limit.")
    priced = [row for row in rows if row["cost"] is not None]
    unknown = [row["contestant"] for row in rows if row["cost"] is None and not row["here"]]
    currencies = sorted({row["currency"] for row in priced})
    if unknown:
        names = ", ".join(unknown)
        raise UserError(
            f"--max-cost {limit:g}: no prices of {names}.",
            "Add openai_price_prompt and openai_price_completion (for a million tokens) to its options.",
        )
    if len(currencies) > 1:
        problem = f"--max-cost {limit:g}: prices are in {' and '.join(currencies)}."
        raise UserError(problem, "Give all in one (openai_currency).")
    most = sum(row["cost_at_most"] for row in priced)
    if priced and most > limit:
        raise UserError(
            f"--max-cost {limit:g}: self-play may cost {most:.4f} {currencies[0]}; nothing was played.",
            "Raise it, or ask for fewer --conversations-per-pair or --exchanges.",
        )
