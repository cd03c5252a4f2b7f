"""Tables 3, 4, 7, 8 and 9, footnotes 3 and 9, and section 5.3's cost: what annotators answered, how fast, how well."""

import itertools

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency

from parlai_spotbot.analysis.agreement import LABELS, both_given_one
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import paper_chi2, win_matrix, win_rates
from parlai_spotbot.analysis.segments import by_length, ties_by_length
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.projects.cells import PaperCell, PaperTable
from parlai_spotbot.projects.spot_the_bot_2020.definitions import (
    DomainData,
    alike,
    correctness,
    label_agreement,
    without_weak,
)
from parlai_spotbot.records import HUMAN

AGREEMENT = (
    "complete HITs; segments with exactly two annotations; share of those with the label whose partner gave it too"
)


def table3(paper: dict, entities: dict[str, pd.DataFrame]) -> PaperTable:
    """Agreement by bot and label, a mean over the domains; needs all three."""
    table = PaperTable("table3", "Table 3: agreement on labels, mean over domains")
    agreement = label_agreement(list(entities.values()))
    for name, printed in paper["table3"].items():
        for label, value in zip(LABELS, printed, strict=True):
            computed = agreement.loc[name, label]
            table.add(name, label, value, computed, AGREEMENT + "; per domain, then the unweighted mean")
    table.own("S2", AGREEMENT, agreement.loc["S2"])
    table.notes.append("the paper leaves S2 out of the table")
    return table


def table3_of(data: DomainData) -> PaperTable:
    """One domain's part of Table 3."""
    table = PaperTable("table3", f"Table 3, the part of {data.domain} (the paper prints the mean over domains)")
    for name, rows in both_given_one(data.entities).set_index("label").groupby("name"):
        table.own(name, AGREEMENT, rows["share"])
    return table


def table4(data: DomainData) -> PaperTable:
    """Seconds an annotation."""
    domain = data.domain
    table = PaperTable("table4", f"Table 4: seconds an annotation, {domain}")
    elapsed = data.annotations["elapsed"]
    timed = data.annotations["seconds"].dropna()
    seconds, conversation = data.paper["table4"][domain]
    table.cells = [
        PaperCell(
            domain,
            "annotation time",
            seconds,
            elapsed.median(),
            "complete HITs; the median of elapsed_time, which the paper calls the mean",
            digits=0,
        ),
        PaperCell(
            domain,
            "annotation time, real mean",
            None,
            timed.mean(),
            "complete HITs; the mean, without times that the page had lost",
        ),
        PaperCell(
            domain, "time per conversation", conversation, None, "human-bot conversations are not in the release"
        ),
    ]
    return table


def section53(data: DomainData) -> PaperTable:
    """Return what a pair of bots costs: the paper's computing, and one on real counts."""
    table = PaperTable("section53", f"Section 5.3: cost, {data.domain}")
    annotations = data.annotations
    elapsed = annotations["elapsed"]
    timed = annotations["seconds"].dropna()
    bots = annotations[annotations["a"] != HUMAN]
    pair = np.mean(bots.groupby([bots[["a", "b"]].min(axis=1), bots[["a", "b"]].max(axis=1)]).size())
    section = data.paper["section53"]
    table.cells = [
        PaperCell(
            "section 5.3",
            "annotations a pair",
            section["annotations_a_pair"],
            pair,
            "complete HITs; the paper computes with 40, the release holds this many (mean over pairs)",
            digits=0,
        ),
        PaperCell(
            "section 5.3",
            "minutes a pair",
            section["minutes_a_pair"],
            section["annotations_a_pair"] * 24 / 60,
            "40 annotations × 24 seconds",
            digits=0,
        ),
        PaperCell(
            "section 5.3",
            "minutes a pair, real count at the median",
            None,
            pair * elapsed.median() / 60,
            "real annotations a pair × median time",
        ),
        PaperCell(
            "section 5.3",
            "minutes a pair, real count at the mean",
            None,
            pair * timed.mean() / 60,
            "real annotations a pair × mean time",
        ),
        PaperCell(
            "section 5.3",
            "minutes a system, human-bot chats",
            section["minutes_a_system_convai"],
            100 * 4.0,
            "100 dialogues × 4 minutes; the text says 2,000, footnote 12's 51 systems follow from 400",
            digits=0,
        ),
    ]
    return table


def table7(data: DomainData) -> PaperTable:
    """Overview of a domain. The corpora behind it are not in the release."""
    name = data.domain
    dump = data.dump
    table = PaperTable("table7", f"Table 7: overview, {name}")
    dialogues, exchanges, bots, segments = data.paper["table7"][name]
    shown = sorted({k for package in dump.packages.values() for k in package.values()})
    people = [c for c in dump.conversations if HUMAN in c.entities]
    seen = {entity for c in dump.conversations for entity in c.entities} - {HUMAN}
    corpus = "the corpora are not in the release"
    table.cells = [
        PaperCell(name, "#dialogues", dialogues, None, corpus, digits=0),
        PaperCell(name, "avg. exchanges", exchanges, None, corpus),
        PaperCell(name, "B", bots, len(seen), "bots in the release", digits=0),
        PaperCell(name, "segments", segments, ",".join(map(str, shown)), "lengths of packaged segments, in exchanges"),
        PaperCell(
            name,
            "avg. exchanges, released people",
            None,
            np.mean([c.exchanges for c in people]),
            "people's conversations in the release, without their opening",
        ),
    ]
    return table


def table8(data: DomainData) -> PaperTable:
    """Win rates, shares of human and of unsure labels, and ties by segment length."""
    domain = data.dump.domain
    table = PaperTable("table8", f"Table 8: by segment length, {domain.name}")
    matches = matches_frame(data.annotations)
    shown = by_length(matches, data.entities, domain.bots).set_index(["exchanges", "bot"])
    ties_at = ties_by_length(matches).set_index("exchanges")["ties"]
    printed = data.paper["table8"] if domain.name == "dailydialog" else {}
    cut = "; decimals cut off, not rounded" if printed else "; the paper prints Dailydialog only"
    win = "complete HITs; matches of that length; unweighted mean of the pairwise rates" + cut
    share = "complete HITs; share of the bot's labels at that length" + cut
    for k in domain.segments:
        printed_rates = printed.get(k, {})
        for bot in domain.bots:
            system = shown.loc[k, bot]
            rate, human = printed_rates.get(bot, (None, None))
            table.cells += [
                PaperCell(bot, f"WR at {k}", rate, system["win_rate"], win, cut=True),
                PaperCell(bot, f"HP at {k}", human, system["human_share"], share, cut=True),
                PaperCell(bot, f"unsure at {k}", None, system["unsure_share"], share),
            ]
        for short, column in (("HP", "human_share"), ("unsure", "unsure_share")):
            table.add(HUMAN, f"{short} at {k}", None, shown.loc[(k, HUMAN), column], share)
        ties = "share of ties among matches of that length" + cut
        table.add("ties", f"ties at {k}", printed_rates.get("ties"), ties_at[k], ties, cut=True)
    table.notes += [_claim_at_the_end(shown, domain, what) for what in ("human", "unsure")]
    return table


def _claim_at_the_end(shown: pd.DataFrame, domain, what: str) -> str:
    """Return whether bots are labelled so less at the greatest length than at the least."""
    first, last = (shown.loc[k] for k in (domain.segments[0], domain.segments[-1]))
    risen = (last - first)[f"{what}_share"].loc[list(domain.bots)] >= 0
    claim = "holds"
    if risen.any():
        claim = f"fails for {', '.join(risen.index[risen])}"
    return f"appendix F's claim that bots are labelled {what} less at the greatest length {claim}"


def table9(data: DomainData) -> PaperTable:
    """Measure how well annotators do."""
    domain = data.domain
    paper = data.paper
    table = PaperTable("table9", f"Table 9: annotators, {domain}")
    result = correctness(data.entities)
    people, average, on_people, below = paper["table9"][domain]
    how = "complete HITs; labels that are not unsure; mean over annotators"
    table.cells = [
        PaperCell(domain, "#Ann", people, result["annotators"], "annotators with a complete HIT", digits=0),
        PaperCell(domain, "avg. corr", average, result["correct"], how),
        PaperCell(domain, "avg. hum. corr", on_people, result["correct_on_people"], how + "; entities that are people"),
        PaperCell(domain, "< 50 %", below, result["below_half"], how + "; share of annotators below .5", digits=3),
    ]
    other = {"empathetic": "convai2", "convai2": "empathetic"}.get(domain)
    if other:
        exchanged = "as above; against the cell that the paper prints for the other domain: the two look exchanged"
        table.add(
            domain, "< 50 %, cell exchanged", paper["table9"][other][3], result["below_half"], exchanged, digits=3
        )
    table.add(
        domain,
        "always bot",
        None,
        result["always_bot"],
        "the correctness of answering bot always, mean over annotators",
    )
    return table


def appendix_g(data: DomainData) -> PaperTable:
    """The claim that without annotators below 75 % rankings stay, and fewer pairs differ significantly."""
    table = PaperTable("appendixG", f"Appendix G: the ranking without weak annotators, {data.domain}")
    kept = without_weak(data.annotations, data.entities)
    bots = data.bots
    orders = []
    for whose, frame in (("all annotators", data.annotations), ("without those below 75 %", kept)):
        matrix = win_matrix(matches_frame(frame), bots)
        orders.append([bots[i] for i in np.argsort(-win_rates(matrix))])
        pairs = np.triu_indices(len(bots), 1)
        won, lost, ties = (table[pairs] for table in (matrix.wins, matrix.wins.T, matrix.ties))
        significant = int((paper_chi2(won, lost, won + lost + ties) < 0.05).sum())
        how = "complete HITs; by win rate; pairs significant by the paper's test; " + whose
        values: dict = {
            "annotators": frame["worker_id"].nunique(),
            "annotations": len(frame),
            "order": " > ".join(orders[-1]),
            "significant pairs": significant,
        }
        table.own(whose, how, values)
    claim = "holds" if orders[0] == orders[1] else f"fails: {' > '.join(orders[1])}"
    table.notes.append(f"the paper's claim, that the ranking stays the same, {claim}")
    return table


def footnote3(data: DomainData) -> PaperTable:
    """Are both entities labelled alike more often than by chance?"""
    table = PaperTable("footnote3", f"Footnote 3: both entities labelled alike, {data.domain}")
    pairs = ("a", "b", "k")
    chance = {
        ("bots", pairs): "pair and length",
        ("people", pairs): "length",
        ("all", ("k",)): "length",
        ("bots", ("worker_id", "k")): "annotator and length",
    }
    for (who, within), agreement in chance.items():
        result = alike(data.annotations, who, within)
        how = f"complete HITs; conversations of {who}; chance: labels of entity 1 dealt again within {agreement}"
        row = f"{who}, by {agreement}"
        table.own(row, how, {column: result[column] for column in ("observed", "expected", "z")})
    z = next(cell.ours for cell in table.cells if (cell.row, cell.column) == ("bots, by pair and length", "z"))
    claim = "fails" if z > 1.96 else "holds"
    table.notes.append(
        f"the paper's claim, no evidence that this is more often than by chance, {claim} for bots by pair and length "
        f"(z {z:+.1f}, annotations taken as independent); the paper does not say how it computed chance"
    )
    return table


def footnote9(data: DomainData) -> PaperTable:
    """Agreement by segment length: does it differ from that over all lengths?"""
    table = PaperTable("footnote9", f"Footnote 9: agreement by segment length, {data.domain}")
    given_at = {k: both_given_one(rows).set_index(["name", "label"]) for k, rows in data.entities.groupby("k")}
    names = sorted(set(data.entities["name"]))
    tests = []
    for name, label in itertools.product(names, LABELS):
        counts = []
        for k, given in given_at.items():
            cell = given.loc[name, label]
            table.add(name, f"{label} at {k}", None, cell["share"], AGREEMENT)
            agreed = round(np.nan_to_num(cell["share"]) * cell["n"])
            counts.append((agreed, cell["n"] - agreed))
        tests.append((name, label, _homogeneous(np.array(counts))))
    adjusted = adjust(np.array([p for *_, p in tests]))
    differ = [f"{n} {label}" for (n, label, _), p in zip(tests, adjusted, strict=True) if p < 0.05]
    how = "χ² test of equal agreement over lengths; takes annotations as independent"
    for name, label, p in tests:
        table.own(name, how, {f"{label}: p": p})
    table.notes.append(
        f"the paper's claim, no significant difference, {'fails for ' + ', '.join(differ) if differ else 'holds'} "
        f"(Holm over {len(tests)} tests)"
    )
    return table


def _homogeneous(counts: np.ndarray) -> float:
    counts = counts[counts.sum(axis=1) > 0]
    counts = counts[:, counts.sum(axis=0) > 0]
    return 1.0 if min(counts.shape) < 2 else float(chi2_contingency(counts, correction=False).pvalue)
