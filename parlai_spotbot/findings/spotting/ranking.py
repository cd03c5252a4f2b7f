"""Who ranks where by who is taken for human, how near bots come to people, and whether other orders agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import expit
from scipy.stats import fisher_exact

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.uncertainty.estimates import adjusted, group_means
from parlai_spotbot.analysis.uncertainty.shares import share_interval, wilson
from parlai_spotbot.findings.criteria import headline, matrix_card, order_effect_sentence, single_order
from parlai_spotbot.findings.finding import Finding, Result, Rows, cautioned, cautioned_card, two_ends
from parlai_spotbot.findings.matrix import WIDEST
from parlai_spotbot.findings.sections import Card, Chart, Name, Section, Table, bar, clusters, places_said
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.standing import matrix_of, ranking, ranking_rows, rate
from parlai_spotbot.findings.spotting.survival_estimates import survival_of
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import (
    INTERVAL,
    NAMED,
    between,
    ends,
    known,
    listed,
    number,
    p_said,
    p_value,
    percent,
    some,
    span,
    to,
    upper_first,
)

LEVEL = 0.05
MOST, NEAR = 1000, 3
"""Of more pairs only those are shown whose bots are so many places apart, or fewer."""


def compute(own: Annotations) -> dict:
    """The ranking, and whether strength, TrueSkill, win rate and survival put the bots in the same order."""
    found = own.once("ranking", ranked)
    curves = own.once("survival", survival_of)["curves"]
    return {**found, "orders": orders(found, curves, own.bots)}


def ranked(own: Annotations) -> dict:
    """The ranking by who is taken for human, and how often each name is."""
    matches = matches_frame(own.rows)
    found = ranking(matches, own.bots, own.weights[:, matches.index], own.rng("ranking"), **own.hang)
    shares = _shares(own)
    none = {"share": None, "n": 0, "ci": [None, None], "why": "no conversation of people was judged"}
    human = shares.pop(HUMAN, none)
    found["human_share"] = {bot: shares[bot]["share"] for bot in own.bots}
    found["human_share_ci"] = {bot: shares[bot]["ci"] for bot in own.bots}
    found["human_difference"] = _differences(own)
    found["human_reference"] = {"human_share": human.pop("share"), **human}
    found["bootstrap"] = own.bootstrap()
    return found


def _shares(own: Annotations) -> dict[str, dict]:
    """How often each name is taken for human, with its interval."""
    names = sorted(set(own.entities["name"]))
    code = own.entities["name"].map({name: i for i, name in enumerate(names)}).to_numpy(dtype=int)
    taken = (own.entities["nature"] == HUMAN).to_numpy().astype(int)
    clusters, result = own.together.take(own.pages), {}
    for i, name in enumerate(names):
        mine = code == i
        ci = share_interval(taken[mine], clusters.take(mine))
        result[name] = {"share": float(taken[mine].mean()), "n": int(mine.sum()), "ci": list(ci)}
    return result


def _differences(own: Annotations) -> dict[str, dict]:
    """Test each bot's share of "human" against people's; {} without people.

    By the covariance of both, but never surer than answers that were independent: p is at least Fisher's exact one, and
    the interval at least Newcombe's (1998, Stat. Med. 17, method 10).
    """
    names = own.entities["name"]
    bots = [bot for bot in own.bots if (names == bot).any()]
    if not (names == HUMAN).any() or not bots:
        return {}
    code = names.map({name: i for i, name in enumerate((*bots, HUMAN))}).to_numpy(dtype=int)
    taken = (own.entities["nature"] == HUMAN).to_numpy().astype(float)
    shares = group_means(taken, code, len(bots) + 1, own.together.take(own.pages), (0.0, 1.0))
    found = shares.contrasts(np.column_stack([np.eye(len(bots)), -np.ones(len(bots))]))
    hits, n = np.bincount(code, taken), np.bincount(code)
    ends = np.array([wilson(hit, of) for hit, of in zip(hits, n, strict=True)])
    apart = np.abs(ends - shares.values[:, None])
    estimate = found["estimate"].to_numpy()
    low = np.fmin(found["low"], estimate - np.hypot(apart[:-1, 0], apart[-1, 1]))
    high = np.fmax(found["high"], estimate + np.hypot(apart[:-1, 1], apart[-1, 0]))
    tables = [[[hits[i], n[i] - hits[i]], [hits[-1], n[-1] - hits[-1]]] for i in range(len(bots))]
    p = np.maximum(found["p"].to_numpy(), [fisher_exact(table).pvalue for table in tables])  # NaN stays unknown
    columns = (estimate, low, high, p, adjusted(p))
    return {
        bot: {"difference": difference, "ci": [start, end], "p": p, "p_adjusted": p_adjusted}
        for bot, difference, start, end, p, p_adjusted in zip(bots, *columns, strict=True)
    }


def orders(own: Mapping, curves: Mapping[str, dict], bots: Sequence[str]) -> dict:
    """The bots by strength, TrueSkill, win rate and survival (mean over lengths), and the pairs that change places."""
    scores = {
        "davidson": {bot: entry["strength"] for bot, entry in own["davidson"].items()},
        "trueskill": {bot: entry["mu"] for bot, entry in own["trueskill"].items()},
        "win_rate": own["win_rate"],
        "survival": {bot: float(np.mean(curves[bot]["survival"])) for bot in bots if bot in curves},
    }
    scores = {criterion: {b: v for b, v in of.items() if np.isfinite(v)} for criterion, of in scores.items()}
    reversed_pairs = []
    names = list(scores)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            both = [bot for bot in bots if bot in scores[first] and bot in scores[second]]
            for j, a in enumerate(both):
                for b in both[j + 1 :]:
                    product = (scores[first][a] - scores[first][b]) * (scores[second][a] - scores[second][b])
                    if product < 0:
                        reversed_pairs.append({"a": a, "b": b, "criteria": [first, second]})
    ordered = {criterion: sorted(of, key=lambda bot: -of[bot]) for criterion, of in scores.items()}
    return {**ordered, "agree": not reversed_pairs, "reversed": reversed_pairs}


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Who ranks where, and how many take each bot for human; then every two bots."""
    own = result.data
    sentence, orders = agreement_of_orders(own)
    ranked = [" ".join(verdict(own)), sentence, order_effect_sentence(own)]
    first = Section("ranking", "Ranking", _texts(ranked), _chart(own), _tables(own), orders)
    matrix = matrix_of(own, "Win rates of every two bots") if own.get("pairs") else None
    tables = [table for table in (matrix, _pairs_table(own)) if table]
    wins = Section("wins", "Wins", [], _matrix(own), tables)
    rejected = own.get("one_scale", {}).get("rejected")
    return cautioned(result, [wins, first] if rejected else [first, wins])


def _texts(found: Sequence[str]) -> list[str]:
    return [text for text in found if text]


def _chart(own: Mapping) -> list[Chart]:
    if not own.get("order"):
        return []
    shares, cis = own.get("human_share", {}), own.get("human_share_ci", {})
    rows = []
    for bot in own["order"]:
        (first, last), (low, high) = own["clusters"][bot], cis.get(bot) or (None, None)
        rows.append(
            {"label": Name(bot), "first": first, "last": last, "share": shares.get(bot), "low": low, "high": high}
        )
    people = own.get("human_reference", {})
    low, high = people.get("ci") or (None, None)
    known = people.get("human_share") is not None
    reference = {"share": people["human_share"], "low": low, "high": high} if known else None
    caption = (
        "Left: the places that each bot may take (bar), from one more than are surely better to as many as aren't "
        "surely worse, and the one in order of strength (mark). Right: share taken for human with 95 % interval; "
        "dashed and shaded: people."
    )
    return [
        Chart(
            "ranking",
            "places",
            "",
            caption,
            {"rows": rows, "reference": reference, "titles": ("Places", "Taken for human")},
            leader(own),
            label="The places that each bot may take, and how often each is taken for human",
            rows=list(_chart_rows(own)),
        )
    ]


def _chart_rows(own: Mapping) -> Iterator[dict]:
    for place, bot in enumerate(own["order"], start=1):
        skill, strength = own["trueskill"][bot], own["davidson"].get(bot, {})
        yield {
            "bot": bot,
            "place": place,
            "rank_best": own["ranges"][bot][0],
            "rank_worst": own["ranges"][bot][1],
            "cluster_first": own["clusters"][bot][0],
            "cluster_last": own["clusters"][bot][1],
            "trueskill": skill["mu"],
            **two_ends("trueskill", skill.get("ci")),
            "win_rate": own["win_rate"][bot],
            **two_ends("win_rate", own["win_rate_ci"].get(bot)),
            "davidson": strength.get("strength"),
            **two_ends("davidson", strength.get("ci")),
            "human_share": own.get("human_share", {}).get(bot),
            **two_ends("human_share", own.get("human_share_ci", {}).get(bot)),
        }
    people = own.get("human_reference", {})
    if people.get("human_share") is not None:
        yield {"bot": "people", "human_share": people["human_share"], **two_ends("human_share", people.get("ci"))}


def _matrix(own: Mapping) -> list[Chart]:
    """How often the row's bot wins against the column's; nothing for more bots than can be read."""
    order = own.get("order") or []
    if not 0 < len(order) <= WIDEST:
        return []
    cells: dict[tuple[str, str], tuple] = {}
    for pair in own["pairs"]:
        rate, won, lost, ties = (pair[key] for key in ("rate_a", "wins_a", "wins_b", "ties"))
        cells[pair["a"], pair["b"]] = (rate, f"{percent(rate)}\n{won}–{lost}–{ties}")
        cells[pair["b"], pair["a"]] = (
            None if rate is None else 1 - rate,
            f"{percent(None if rate is None else 1 - rate)}\n{lost}–{won}–{ties}",
        )
    values, texts = ([[cells.get((a, b), (None, ""))[i] for b in order] for a in order] for i in (0, 1))
    labels = [Name(bot) for bot in order]
    rows = [
        {
            **{key: pair[key] for key in ("a", "b", "wins_a", "wins_b", "ties", "rate_a")},
            **two_ends("rate_a", pair.get("rate_ci")),
            "p_adjusted": pair.get("p_adjusted"),
        }
        for pair in own["pairs"]
    ]
    caption = (
        "Share of decided matches that the bot of the row wins against the bot of the column; below it "
        "wins–losses–ties. Blue above one half, orange below; the stronger, the further from it. Intervals "
        "are in the table. The ranking draws on all matches, so it may tell apart two bots that their own "
        "matches alone don't."
    )
    data = {"rows": labels, "columns": labels, "values": values, "texts": texts, "x": "", "y": ""}
    label = "Win rate of each bot against each other bot, with counts"
    return [Chart("wins", "grid", "", caption, data, clear_wins(own), label=label, rows=rows)]


def _tables(own: Mapping) -> list[Table]:
    found = _ranking_table(own)
    return [found] if found else []


def verdict(own: Mapping) -> list[str]:
    """Who is ahead, how near the bots come to people, and what that rests on; [] where nobody was compared."""
    if not own.get("order"):
        return []
    first, *others = headline(own, "bots")
    return [first, _beside_people(own), *others]


def _beside_people(own: Mapping) -> str:
    """Compare each bot's share of "human" with people's by the adjusted test of their difference."""
    people = own.get("human_reference", {}).get("human_share")
    shares = {bot: share for bot, share in own.get("human_share", {}).items() if share is not None}
    if people is None or not shares:
        return "No conversation of people was judged, so there is no human reference."
    text = f"Taken for human (judged “human”, not “unsure” or “bot”): people in {percent(people)} of judgements"
    groups: dict[str, list[str]] = {"less often": [], "not told from people": [], "more often": []}
    for bot in sorted(own.get("human_difference", {}), key=lambda bot: -shares[bot]):
        groups[_against_people(own, bot)].append(bot)
    parts = [f"{how}: {_with_shares(bots, shares)}" for how, bots in groups.items() if bots]
    return f"{'; '.join([text, *parts])}."


def _against_people(own: Mapping, bot: str) -> str:
    """Return whether a bot is taken for human less or more often than people, if that is clear."""
    test = own.get("human_difference", {}).get(bot) or {}
    p = test.get("p_adjusted")
    if p is None or not p < LEVEL:
        return "not told from people"
    return "less often" if test["difference"] < 0 else "more often"


def _with_shares(bots: Sequence[str], shares: Mapping[str, float]) -> str:
    if len(bots) <= NAMED:
        return listed(f"{bot} ({percent(shares[bot])})" for bot in bots)
    return f"{len(bots)} bots ({percent(shares[bots[-1]])} to {percent(shares[bots[0]])})"


def _ranking_table(own: Mapping) -> Table | None:
    if not own.get("order"):
        return None
    human = own.get("human_reference", {})
    rows, places = [], places_said(own)
    for bot in own["order"]:
        skill, strength = own["trueskill"][bot], own["davidson"].get(bot, {})
        share = own.get("human_share", {}).get(bot)
        against = {"less often": " < people", "more often": " > people"}.get(_against_people(own, bot), "")
        rows.append(
            (
                Name(bot),
                places[bot],
                number(strength.get("strength")) + between(strength.get("ci"), number),
                percent(own["win_rate"][bot]) + between(own["win_rate_ci"].get(bot)),
                percent(share) + between(own.get("human_share_ci", {}).get(bot)) + against,
                number(skill["mu"], 1) + between(skill.get("ci"), lambda v: number(v, 1)),
                span(own["ranges"][bot]),
            )
        )
    if human.get("human_share") is not None:
        said = percent(human["human_share"]) + between(human.get("ci")) + f" of {human['n']}"
        rows.append((Name(HUMAN), "–", "–", "–", said, "–", "–"))
    scale = "points" if own.get("one_scale", {}).get("rejected") else "strength"
    how = (
        f"In order of {scale}. A difference of 1 in strength, by Davidson's model of all matches, makes odds of 2.7 to "
        "1 of winning a decided match. A place runs from one more than the bots that are surely better to as many as "
        "aren't surely worse; all hold together at 95 %. The paper's TrueSkill stands beside it, with the ranks "
        f"between which it lies when data are drawn anew. {percent(own.get('ties'))} of {own.get('n')} matches were "
        "ties: strength and TrueSkill count them, the win rate (the mean over opponents) leaves them out. People play "
        "no matches: what they were taken for is the reference. < and > people: the difference from them is clear (p < "
        ".05, Holm)."
    )
    if own.get("bootstrap", {}).get("why"):
        how += f" ({own['bootstrap']['why'].capitalize()}.)"
    head = ("Bot", "Places", "Strength", "Win rate", "Taken for human", "TrueSkill", "TrueSkill ranks")
    return Table("Ranking", how, head, rows, sentence=_from_first_to_last(own), **about("ranking"))


def agreement_of_orders(own: Mapping) -> tuple[str, list[tuple[str, list[Name]]]]:
    """Compare the orders by strength, TrueSkill, win rate and survival on the pairs that the ranking tells apart.

    Returns the sentence, "" where no pair is told apart, and the orders where any two bots change places.
    """
    found = own.get("orders", {}) if single_order(own) else {}
    names = {"davidson": "strength", "trueskill": "TrueSkill", "win_rate": "win rate", "survival": "survival"}
    orders = {label: [Name(bot) for bot in found[key]] for key, label in names.items() if found.get(key)}
    if len(orders) < 2:
        return "", []
    changed = {frozenset((p["a"], p["b"])) for p in found.get("reversed", [])}
    shown = [(upper_first(label), order) for label, order in orders.items()] if changed else []
    everywhere = set.intersection(*(set(order) for order in orders.values()))
    apart = [p for p in _clear(own) if {p["a"], p["b"]} <= everywhere]
    if not apart:
        return "", shown
    against = [f"{p['a']} and {p['b']}" for p in apart if frozenset((p["a"], p["b"])) in changed]
    if not against:
        pairs = "the pair" if len(apart) == 1 else f"each of the {len(apart)} pairs"
        order = listed(orders)
        return f"{upper_first(order)} agree on who is ahead in {pairs} that the ranking tells apart.", shown
    which = "; ".join(against[:NAMED]) if len(against) <= NAMED else f"{len(against)} pairs"
    text = f"The ranking tells apart {which}, but {listed(orders)} don't agree on who is ahead there"
    return f"{text}: it depends on the criterion.", shown


def _clear(own: Mapping) -> list[Mapping]:
    """The pairs with decided matches that the ranking tells apart, the clearest first."""
    tested = [p for p in own.get("pairs", []) if p.get("p_adjusted") is not None and p["wins_a"] + p["wins_b"]]
    clear = [p for p in tested if p["p_adjusted"] < LEVEL]
    return sorted(clear, key=lambda p: (p["p_adjusted"], -abs(p.get("difference") or 0.0)))


def _pairs_table(own: Mapping) -> Table | None:
    if not own.get("pairs"):
        return None
    place = {bot: i for i, bot in enumerate(own.get("order", []))}
    shown = own["pairs"]
    if len(shown) > MOST:
        shown = [p for p in shown if p["a"] in place and p["b"] in place]
        shown = [p for p in shown if abs(place[p["a"]] - place[p["b"]]) <= NEAR]
    rows = [
        (
            Name(p["a"]),
            Name(p["b"]),
            str(p["wins_a"]),
            str(p["wins_b"]),
            str(p["ties"]),
            str(p["n"]),
            percent(p["rate_a"]) + between(p.get("rate_ci")),
            p_value(p.get("p_adjusted")),
        )
        for p in shown
    ]
    how = (
        "Each pair's matches: how often the first bot was rated more human, the second, or neither. The win rate is of "
        "the pair's own decided matches; its 95 % interval takes those of one conversation or annotator as dependent. "
        f"Test behind p: {own.get('test', 'adjusted for the number of pairs').split(';')[0]}."
    )
    if len(shown) < len(own["pairs"]):
        how += (
            f" Of the {len(own['pairs']):,} pairs these are the {len(shown):,} whose bots are at most {NEAR} places "
            "apart; all are in ranking_pairs.csv."
        )
    head = ("First", "Second", "First wins", "Second wins", "Ties", "Matches", "Win rate of the first", "p, adjusted")
    sentence = _nearest_pair(own)
    return Table("Every pair", how, head, rows, folded=len(rows) > 15, sentence=sentence, **about("pairs"))


def _from_first_to_last(own: Mapping) -> str:
    """Give the win rates of the first and the last bot, and whether the ranking tells the two apart."""
    rated = [bot for bot in own.get("order", []) if own["win_rate"].get(bot) is not None]
    if len(rated) < 2 or not single_order(own):
        return ""
    first, last = rated[0], rated[-1]
    text = f"From first to last the win rate goes from {rate(own, first)} ({first}) to {rate(own, last)} ({last})."
    return text + _told_apart(own, first, last)


def _told_apart(own: Mapping, a: str, b: str) -> str:
    """Return what the ranking's test says of two bots, as a sentence that follows another."""
    tested = [p for p in own.get("pairs", []) if {p["a"], p["b"]} == {a, b} and p.get("p_adjusted") is not None]
    if not tested or not tested[0]["wins_a"] + tested[0]["wins_b"]:
        return ""
    p = tested[0]["p_adjusted"]
    verb = "tells the two apart" if p < LEVEL else "doesn't tell the two apart"
    return f" The ranking, by all matches, {verb} ({p_said(p)})."


def _nearest_pair(own: Mapping) -> str:
    """Describe the pair whose win rate is nearest to one half."""
    found = [p for p in own.get("pairs", []) if p["rate_a"] is not None]
    if not found:
        return ""
    even = min(found, key=lambda p: abs(p["rate_a"] - 0.5))
    text = (
        f"Nearest to even are {even['a']} and {even['b']}: the first wins {percent(even['rate_a'])} of the decided "
        f"matches{to(even.get('rate_ci'), prefix=INTERVAL)}, {even['ties']} of {even['n']} matches are ties."
    )
    return text + _told_apart(own, even["a"], even["b"])


def leader(own: Mapping) -> str:
    """Who is first, by how much, and how sure its place is."""
    if len(own.get("order", [])) < 2 or not single_order(own):
        return ""
    best = own["order"][0]
    rate, ci = own["win_rate"].get(best), own["win_rate_ci"].get(best)
    text = f"{best} comes first"
    if rate is not None:
        bound = f"{INTERVAL}{ends(ci)}" if known(ci) else "no interval"
        text += f" and wins {percent(rate)} of its decided matches ({bound}; mean over its opponents)"
    first, last = own["clusters"][best]
    if last == 1:
        return f"{text}; it is surely better than every other bot, at 95 % over all pairs."
    clear = {
        bot
        for p in own.get("pairs", [])
        if (p.get("p_adjusted") or 1) < LEVEL and best in (p["a"], p["b"])
        for bot in (p["a"], p["b"])
    }
    rivals = [bot for bot in own["order"][1:] if bot not in clear]
    text += f"; places {span((first, last))} are possible"
    return f"{text}: these data can't tell it from {some(rivals, 'other bots')}." if rivals else f"{text}."


def clear_wins(own: Mapping) -> str:
    """Count the pairs that differ after correction, name those that don't, and give the clearest difference.

    All of it is by the test of strengths, so the size of the clearest difference is that of the strengths, too.
    """
    tested = [p for p in own.get("pairs", []) if p.get("p_adjusted") is not None and p["wins_a"] + p["wins_b"]]
    if not tested:
        return ""
    differ = _clear(own)
    alike = [f"{p['a']} and {p['b']}" for p in tested if not p["p_adjusted"] < LEVEL]
    how = "Holm-corrected for the number of pairs"
    if own.get("one_scale", {}).get("rejected"):
        how += ", by each pair's own matches"
    if "clustered" in own.get("test", ""):
        both = "conversation or annotator" if "annotators" in own["test"] else "conversation"
        how += f"; matches of one {both} taken as dependent"
    if not differ:
        count = f"In none of the {len(tested)} pairs is one bot" if len(tested) > 1 else "Neither bot is"
        return f"{count} ahead by more than chance would have it ({how})."
    count = f"In all {len(tested)} pairs" if not alike else f"In {len(differ)} of {len(tested)} pairs"
    count = count if len(tested) > 1 else "In the only pair"
    text = f"{count} one bot is ahead by more than chance would have it ({how})"
    if alike:
        text += f"; not told apart: {'; '.join(alike)}" if len(alike) <= NAMED else ""
    clear = differ[0]
    a, b, difference, ci = clear["a"], clear["b"], clear.get("difference"), clear.get("difference_ci")
    if difference is None or own.get("one_scale", {}).get("rejected"):
        return f"{text}."
    if difference < 0:
        a, b, difference, ci = b, a, -difference, [-ci[1], -ci[0]] if known(ci) else None
    share = to([expit(end) for end in ci], prefix=INTERVAL) if known(ci) and ci[0] > 0 else ""
    return f"{text}. Clearest: by strength {a} wins {percent(expit(difference))} of decided matches against {b}{share}."


# -- one contestant ----------------------------------------------------------------------------------------------------
# -- first ------------------------------------------------------------------------------------------------------------
def card(result: Result) -> Card | None:
    """Places, with points (in older analyses the win rate) and the share taken for human as bars."""
    own = result.data
    if not own.get("order"):
        return None
    found = {"Points (tie = ½)": (own["score"], own["score_ci"])} if own.get("score") else {}
    found = found or {"Win rate": (own["win_rate"], own["win_rate_ci"])}
    if any(share is not None for share in own.get("human_share", {}).values()):
        found["Taken for human"] = (own["human_share"], own.get("human_share_ci", {}))
    bars = {
        scale: {b: bar(v, cis.get(b), (0.0, 1.0), percent) for b, v in of.items() if v is not None}
        for scale, (of, cis) in found.items()
    }
    people = own.get("human_reference") or {}
    share = people.get("human_share")
    taken = "" if share is None else f"People are taken for human in {percent(share)}{between(people.get('ci'))}."
    text = [sentence for sentence in (*verdict(own), agreement_of_orders(own)[0]) if sentence]
    if (own.get("one_scale") or {}).get("rejected"):
        return cautioned_card(result, replace(matrix_card(own, "rate_a"), text=text))
    shown = Card(tuple(bars), clusters(own, bars), None if share is None else 100 * share, taken, text)
    return cautioned_card(result, shown)


# -- terminal ----------------------------------------------------------------------------------------------------------
def lines(result: Result) -> list[str]:
    """Places, strength, win rate, TrueSkill, share taken for human, and survival at the longest length."""
    own, survived = result.data, result.others["survival"]
    curves = survived["curves"]
    longest = max((k for curve in curves.values() for k in curve["exchanges"]), default=0)
    found = [
        f"  {'places':<8} {'name':<20} {'strength':>8} {'win rate':>8} {'TrueSkill':>9} {'human':>6} "
        f"{f'S({longest})':>6}"
    ]
    places = places_said(own)
    for bot in own["order"]:
        cells = (own["davidson"][bot]["strength"], own["win_rate"][bot], own["trueskill"][bot]["mu"])
        found.append(_line(places[bot], bot, *cells, own["human_share"][bot], _at(curves.get(bot), longest)))
    reference = own["human_reference"]["human_share"]
    if reference is not None:
        found.append(_line("", "human", None, None, None, reference, _at(curves.get("human"), longest)))
    if not own["orders"]["agree"]:
        changed = sorted({f"{pair['a']}/{pair['b']}" for pair in own["orders"]["reversed"]})
        found.append(f"  strength, TrueSkill, win rate, survival order these pairs differently: {', '.join(changed)}")
    return found + [f"  {sentence}" for sentence in verdict(own)]


def _at(curve: dict | None, k: int) -> float | None:
    return curve["survival"][curve["exchanges"].index(k)] if curve and k in curve["exchanges"] else None


def _line(
    place: str, name: str, strength: float | None, rate: float | None, skill: float | None, *shares: float | None
) -> str:
    def cell(value: float | None, width: int, digits: int) -> str:
        return f"{'-':>{width}}" if value is None else f"{value:>{width}.{digits}f}"

    last = " ".join(cell(share, 6, 2) for share in shares)
    return f"  {place:<8} {name:<20} {cell(strength, 8, 2)} {cell(rate, 8, 2)} {cell(skill, 9, 1)} {last}"


def rows(data: Mapping) -> Rows:
    """Rows of the tables ranking and ranking_pairs."""
    yield from ranking_rows(data)


FINDING = Finding("ranking", FORM, compute, tell, rows, lines, card, place=10)
