"""The tables on how far a judge can be trusted, from what trust.json holds of one judge."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.wording import asked, between, number, p_value, percent

VERDICTS = {
    "constant": "always the same answer",
    "chance": "no more than chance",
    "below": "less than people",
    "unclear": "can't be told from people",
    "unknown": "people not known",
    "nobody": "people neither",
    "level": "no less than people",
}
CITE = ("cameron2011",)
DRAWN = (
    "95 % intervals: conversations drawn anew, people, and what one of them says of one conversation (the variances of "
    "the first two added, less the third's), by Student's t. The judge's variants are taken as they are."
)
PLACES = {"judge": "Judge", "people": "People", "difference": "Judge less people"}


def of_trust(own: Mapping) -> list[Table]:
    """All of them; those that have nothing to show are left out."""
    makers = (agreement, ranks, biases, flips, likings, savings, means, promises, styles)
    found = [make(own) for make in makers]
    found += [confusion(question, entry) for question, entry in (own.get("questions") or {}).items()]
    return [table for table in found if table is not None]


def estimate(entry: Mapping, name: str, show=number) -> str:
    """An estimate with its interval in brackets; its interval stands as name_ci."""
    return show(entry.get(name)) + between(entry.get(f"{name}_ci"), show)


def agreement(own: Mapping) -> Table | None:
    """By question: how far the judge agrees with people, beside how far people agree with each other."""
    found = own.get("questions")
    if not found:
        return None
    levels = own["verdict"]["questions"]
    rows = [
        (
            asked(q),
            VERDICTS[levels[q]["level"]],
            str(e["n"]),
            estimate(e, "agree", percent),
            estimate(e, "people_agree", percent),
            *(estimate(e, key) for key in ("alpha", "people_alpha", "difference")),
        )
        for q, e in found.items()
    ]
    how = (
        f"Over the {own['items']} items that the judge and {own['people']} people answered: how often the judge, and "
        "how often another person, gives a person's answer; Krippendorff's alpha (1 is perfect, 0 what chance gives) "
        "of the judge with people, of people with each other, and the one less the other."
    )
    head = (
        "Question",
        "Judge agrees",
        "Answers of people",
        "Judge gives it too",
        "Another person does",
        "alpha, judge with people",
        "alpha between people",
        "Difference",
    )
    method = (
        f"Alpha is ordinal where answers are a scale, nominal elsewhere. Each answer of a person counts once. {DRAWN}"
    )
    return Table("The judge and people", how, head, rows, method=method, cite=("hayes2007", *CITE))


def confusion(question: str, entry: Mapping) -> Table:
    """What the judge answers where people gave an answer."""
    own = entry["confusion"]
    people = [sum(row[j] for row in own["counts"]) for j in range(len(own["answers"]))]
    rows = []
    for i, answer in enumerate(own["answers"]):
        cells = [
            number(own["counts"][i][j], 0) + (f" ({percent(own['share_given_people'][i][j])})" if total else "")
            for j, total in enumerate(people)
        ]
        rows.append((f"judge: {answer_said(answer)}", *cells))
    rows.append(("people in all", *(number(total, 0) for total in people)))
    how = (
        "Down: what people said; across: what the judge said of the same. In brackets, the share of the judge's "
        "answers where people said that; a judge that answers as people do has high shares on the diagonal. Where it "
        "answered an item several times, each of its answers counts in part."
    )
    head = ("", *(f"people: {answer_said(answer)}" for answer in own["answers"]))
    return Table(f"Answers on {asked(question)}", how, head, rows, folded=question != "nature")


def answer_said(answer: str) -> str:
    return answer.replace("_", " ").replace("entity:", "entity ").replace("conversation:", "conversation ")


def styles(own: Mapping) -> Table | None:
    """How often each answer is given, by the judge and by people, and how varied the answers are."""
    found = own.get("questions")
    if not found:
        return None
    rows = []
    for question, entry in found.items():
        for who in ("judge", "people"):
            style = entry["style"][who]
            shares = ", ".join(f"{answer_said(answer)} {percent(share)}" for answer, share in style["shares"].items())
            always = f"always “{answer_said(style['constant'])}”" if style["constant"] is not None else "–"
            rows.append((asked(question), PLACES[who], str(style["n"]), shares, number(style["entropy"]), always))
    how = (
        "The share of each answer, whatever is asked about, and the entropy of the answers in bits: 0 is always the "
        "same answer, 1.58 is three answers equally often. Shares without intervals, as counted."
    )
    return Table("Habits of answering", how, ("Question", "", "Answers", "Shares", "Entropy", "Constant"), rows, True)


def ranks(own: Mapping) -> Table | None:
    """By criterion: whether the judge ranks the contestants as people do, beside whether people do."""
    found = {name: entry for name, entry in (own.get("ranks") or {}).items() if "tau" in entry}
    if not found:
        return None
    rows = []
    for name, e in found.items():
        p = e["people"]
        rows.append(
            (
                asked(name),
                str(e["contestants"]),
                estimate(e, "tau"),
                estimate(e, "spearman"),
                estimate(p, "judge_tau"),
                estimate(p, "tau"),
                estimate(p, "difference"),
                estimate(p, "spearman_brown"),
            )
        )
    how = (
        "How alike two rankings of the contestants are (1: the same, 0: no more than chance, −1: reversed): the "
        "judge's and people's by Kendall's tau-b and Spearman's rho; then the judge, and one person an item, each "
        "against all other people of the same items, and the one less the other. Last, how repeatable people's own "
        "ranking is: Spearman's rho of two halves of people, stepped up to all of them. With few contestants only a "
        "few values are possible."
    )
    head = (
        "Ranked by",
        "Contestants",
        "tau, judge with people",
        "rho, judge with people",
        "tau, judge with the others",
        "tau, one person with the others",
        "Difference",
        "rho of people, Spearman–Brown",
    )
    method = f"Means over random splits of people within items. Spearman–Brown: 2r / (1 + r). {DRAWN}"
    return Table("Rankings of the judge and of people", how, head, rows, method=method, cite=CITE)


def biases(own: Mapping) -> Table | None:
    """Place, length, order and own model: what sways the judge beside what sways people."""
    rows, lost = [], []
    for kind, said in (("position", "the first place"), ("length", "saying twice as much")):
        for name, e in (own.get(kind) or {}).items():
            if "judge" not in e:
                lost.append(f"{said} by {asked(name)}: {e['why']}")
                continue
            rows.append((said, asked(name), *(estimate(e, who) for who in PLACES), p_value(e["difference_p"])))
    for name, e in (own.get("favours") or {}).items():
        for said, kin in (("its own model", e["self"]), ("its own model, by the line", e["self"].get("beyond", {}))):
            if "estimate" in kin:
                value = number(kin["estimate"]) + between(kin["ci"], number)
                rows.append(
                    (f"{said} ({', '.join(e['self']['own'])})", asked(name), "–", "–", value, p_value(kin["p"]))
                )
    if not rows:
        return None
    how = (
        "How much each helps a contestant, with the judge and with people on the same items, and the one less the "
        "other with its p. Place and own model in points (a win is 1, a tie ½; of ratings, in their scale); length as "
        "log-odds of winning a decided contest. People can be swayed too, and saying more can be better: what counts "
        "is the difference." + (f" Not told: {'; '.join(lost)}." if lost else "")
    )
    method = (
        "Place: the mean score in the first place less that in the second, of the same contestant against the same "
        "opponent. Length: logistic regression on log2 of the ratio of words. Own model: a difference in differences, "
        "judge less people, its own contestants less all others; and by the line, how far they lie above the line of "
        "the judge's scores on people's over all others, since a judge that tells contestants less apart brings all of "
        f"them nearer to the middle. Intervals are not corrected for their number. {DRAWN}"
    )
    head = ("What helps", "By", *PLACES.values(), "p")
    return Table("What sways the judge", how, head, rows, method=method, cite=CITE)


def flips(own: Mapping) -> Table | None:
    """How often a language model answers otherwise when names and sides are exchanged, as it told itself."""
    found = own.get("flips") or {}
    rows = [
        (asked(name), str(e["n"]), str(e["flips"]), percent(e.get("rate")) + between(e.get("ci")))
        for name, e in {**(found.get("by_question") or {}), "all": found}.items()
        if e.get("n")
    ]
    if not rows:
        return None
    how = (
        "How often the judge changes its answer when who comes first is exchanged; one that goes by what is said "
        "never does."
    )
    return Table("Answers that turn with the order", how, ("Question", "Asked both ways", "Changed", "Share"), rows)


def likings(own: Mapping) -> Table | None:
    """Whom the judge scores higher or lower than people do, by the criterion that comes first."""
    found = own.get("favours") or {}
    name = "nature" if "nature" in found else next(iter(found), None)
    if name is None:
        return None
    entry, scores = found[name], (own.get("ranks", {}).get(name, {})).get("scores", {})
    rows = []
    for bot, gap in sorted(entry["contestants"].items(), key=lambda pair: -(pair[1]["estimate"] or 0)):
        both = [scores.get(who, {}).get(bot) for who in ("judge", "people")]
        cells = [number(one["estimate"]) + between(one["ci"], number) if one else "–" for one in both]
        rows.append((Name(bot), *cells, number(gap["estimate"]) + between(gap["ci"], number)))
    test = entry["test"]
    sentence = ""
    if test["p"] is not None:
        alike = "can't be told from people's: what differs may be chance" if test["p"] >= 0.05 else "are not people's"
        sentence = (
            f"By {asked(name)}, the judge's scores of the contestants {alike} (Wald's test, p {p_value(test['p'])})."
        )
    how = "Each contestant's score with the judge, with people on the same items, and the one less the other."
    head = ("", "Judge", "People", "Judge less people")
    return Table(f"Whom the judge favours, by {asked(name)}", how, head, rows, True, DRAWN, CITE, sentence)


def savings(own: Mapping) -> Table | None:
    """How many of people's annotations the judge would save, whatever its errors."""
    rows = []
    for name, e in (own.get("savings") or {}).items():
        safe = e.get("prediction_powered") or {}
        if "saved" not in safe:
            rows.append((asked(name), *["–"] * 6, safe.get("why") or e.get("why", "")))
            continue
        rows.append(
            (
                asked(name),
                estimate(safe, "slope"),
                number(safe["power"]),
                *_saved(safe, ("at_hand", "as_many", "ten_times", "endless")),
                safe["notice"] or "–",
            )
        )
    if not rows:
        return None
    how = (
        "An estimate, used in no other table: the share of people's annotations that could be spared, their intervals "
        "being as wide, if the judge rated further items: those that it rated here without people, as many as people "
        "gave annotations, ten times as many, or without end. It assumes that people were given their items at random "
        "among those that the judge rated, and nothing of the judge: what it holds for or against somebody cancels out."
    )
    method = (
        "Prediction-powered inference: people's mean less λ times what the judge says of people's items beyond what it "
        "says of further ones; one λ from 0 to 1 for all means, which makes their variances least. The slope is by "
        "how much people's answers rise with the judge's among items of one mean; the share is its square times the "
        "variance of the judge's mean by that of people's, less what it takes to learn it. Variances are two-way, by "
        "conversations and people. A judge that is not shown to go with people saves nothing."
    )
    head = ("By", "Slope", "λ", "Saved: at hand", "As many", "Ten times", "Without end", "Beware")
    return Table("What the judge could save", how, head, rows, method=method, cite=("angelopoulos2023", *CITE))


def _saved(entry: Mapping, names: tuple[str, ...]) -> list[str]:
    return [percent(entry["saved"][s]["estimate"]) + between(entry["saved"][s]["ci"]) for s in names]


def means(own: Mapping) -> Table | None:
    """People's means alone and with the judge's help, by the criterion that comes first."""
    found = {n: e for n, e in (own.get("savings") or {}).items() if "means" in (e.get("prediction_powered") or {})}
    if not found:
        return None
    name, entry = next(iter(found.items()))
    safe, rows = entry["prediction_powered"], []
    for e in safe["means"]:
        who = Name(e["contestant"]) if "contestant" in e else f"{e['a']} – {e['b']}"
        rows.append(
            (
                who,
                str(e["n_people"]),
                str(e["n_judge_alone"]),
                estimate(e, "people"),
                estimate(e, "both"),
                number(e.get("width")),
                percent(e.get("saved")),
            )
        )
    how = (
        "People's mean (of a pair: the first one's share of wins less that of losses), the same with the judge's "
        f"answers to further items at λ = {number(safe['power'])}, how wide the second interval is by the first, and "
        "the share of annotations that this is worth. Used in no other table; one row by itself is uncertain, and may "
        "be below 0."
    )
    head = ("", "Answers of people", "Items of the judge alone", "People", "With the judge", "Width", "Saved")
    title = f"People's means with the judge's help, by {asked(name)}"
    return Table(title, how, head, rows, True, method=f"Assumes: {safe['assumes']}.", cite=("angelopoulos2023",))


def promises(own: Mapping) -> Table | None:
    """How many of people's annotations a model of the judge's errors promises that it saves."""
    rows = []
    for name, e in (own.get("savings") or {}).items():
        if "assumes" not in e:  # ratings
            continue
        if "saved" not in e:
            rows.append((asked(name), "–", "–", "–", "–", e.get("why", "")))
            continue
        worth = e["worth_of_100"]
        rows.append(
            (
                asked(name),
                number(worth["estimate"], 0) + between(worth["ci"], lambda v: number(v, 0)),
                *_saved(e, ("as_many", "ten_times", "endless")),
                e["notice"] or "–",
            )
        )
    if not rows:
        return None
    how = (
        "An estimate, used in no other table, that needs more to be true than the one before it: what the judge holds "
        "for or against a pair must be as likely for as against, have nothing to do with who is better, and its errors "
        "must be the same for all pairs; where it favours some pairs too much is promised. What 100 ratings by the "
        "judge of further items, spread over the pairs, are worth in annotations by people (those by one more person "
        "are worth 100), and the share of people's annotations that could be spared without losing power to tell "
        "contestants apart."
    )
    method = (
        "What is to be known of a pair is its share of wins less its share of losses as people in general would say. "
        "The judge's is taken to be that times a slope (what a matrix of errors that is the same for all pairs comes "
        "to), and a liking of the pair of its own. The slope is the mean product of a person's and the judge's "
        "answers to an item, by that of two people's, so that people's differing is not held against the judge; its "
        "interval is Fieller's, and where that has no bounds, by a person's answer's own square, a lower bound. The "
        "liking's variance is what pairs differ by beyond noise; no number of ratings takes it away. Precisions of "
        "people and judge add; the slope is learnt from people's annotations that remain. Clustered ratings count for "
        f"less. A judge that is not shown to go with people saves nothing. {DRAWN}"
    )
    head = ("By", "100 ratings are worth", "Saved: as many", "Ten times", "Without end", "Beware")
    title = "What a model of the judge's errors promises"
    return Table(title, how, head, rows, True, method=method, cite=("deriu2023",))
