"""The report of surveys that ask which of two conversations is better, as sections of data."""

from __future__ import annotations

from parlai_spotbot.analysis.methods import shared_sections as shared
from parlai_spotbot.analysis.sections import Chart, Name, Section, Table
from parlai_spotbot.records import KINDS
from parlai_spotbot.wording import NONE, interval, number, p_value, percent, plainly, who

PAIR_HEAD = ("contestant", "over", "share of wins", "95 % interval", "n", "p", "adjusted p")


def sections(analysis: dict[str, dict], source: str) -> list[Section]:
    """What was preferred, pair by pair; self-chats; a bot against itself; wordings; agreement, annotators, cost."""
    found = [_order(analysis["ranking"]), _grids(analysis["ranking"])]
    for part, make in (("chats", _chats), ("same", _same), ("wordings", _wordings)):
        if part in analysis and (section := make(analysis[part])):
            found.append(section)
    found += shared.agreement_section(analysis) + shared.annotators_section(analysis, source)
    return found + shared.cost_section(analysis)


def _order(own: dict) -> Section:
    main = own["criteria"][own["question"]]
    text = [*shared.order_sentences(main), main["cycles"]["sentence"], main["fit"]["sentence"]]
    reference = 0.5
    chart = shared.score_chart("order", "Who is preferred?", own, True, reference)
    tables = [shared.order_table(own, True)]
    circles = [
        (plainly(question), " > ".join([*row["of"], row["of"][0]]), ", ".join(percent(s) for s in row["shares"]),
         p_value(row["p_adjusted"]))
        for question, found in own["criteria"].items() for row in found["cycles"]["cycles"]
    ]  # fmt: skip
    if circles:
        tables.append(Table(
            "Circles", "Each beats the next by its share of wins; only a small adjusted p makes it more than chance.",
            ("question", "circle", "shares", "adjusted p"), circles, folded=True,
            method="A circle is claimed where all three of its steps are found by one-sided tests (Berger 1982), "
            "Holm-adjusted over all circles that there could be.", cite=("berger1982", "holm1979"),
        ))  # fmt: skip
    return Section("preferred", "Who is preferred?", text, [chart], tables)


def _grids(own: dict) -> Section:
    charts, tables = [], []
    for question, found in own["criteria"].items():
        if found["pairs"]:
            charts += [win_grid(question, found)] + ([_shares(question, found)] if found["ties"] else [])
            tables.append(Table(
                f"Pairs: {plainly(question)}", "The share is of the choices that favoured one of the two.", PAIR_HEAD,
                shared.pair_rows(found, True), folded=len(found["pairs"]) > shared.LONG, method=found["test"],
                cite=("clopper1934", "cameron2011", "holm1979"),
            ))  # fmt: skip
    if any(found["ties"] for found in own["criteria"].values()):
        tables.append(_shares_table(own))
    main = own["criteria"][own["question"]]
    return Section("grid", "Who beats whom?", [main["clustering"]], charts, tables)


def _shares_table(own: dict) -> Table:
    rows = [
        (plainly(question), Name(name), *(f"{percent(share[what]['share'])} ({interval(share[what]['ci'])})"
                                          for what in ("won", "neither", "lost")), str(share["n"]))
        for question, found in own["criteria"].items() for name, share in found["shares"].items()
    ]  # fmt: skip
    return Table("Wins, ties and losses", "Shares of all choices that a contestant was in, with 95 % intervals.",
                 ("question", "contestant", "won", "neither", "lost", "n"), rows,
                 folded=len(rows) > shared.LONG)  # fmt: skip


def win_grid(question: str, found: dict) -> Chart:
    """Every contestant against every other one: the share of wins, and whether it is clear."""
    names = found["order"]
    share = {}
    for pair in found["pairs"]:
        own = (pair["estimate"], pair["p_adjusted"], pair["wins_a"] + pair["wins_b"])
        share[pair["a"], pair["b"]] = own
        share[pair["b"], pair["a"]] = (None if own[0] is None else 1 - own[0], *own[1:])
    values = [[share.get((a, b), (None,))[0] for b in names] for a in names]
    texts = [[_cell(*share[a, b]) if (a, b) in share else "" for b in names] for a in names]
    labels = [Name(name) for name in names]
    return Chart(
        f"grid_{question}", "grid", f"Win grid: {plainly(question)}",
        "How often the contestant of the row is chosen over that of the column; * marks a clear difference (adjusted p "
        "below 0.05).",
        {"rows": labels, "columns": labels, "values": values, "texts": texts, "x": "over", "y": "chosen"},
        shared.clearest(found, True),
    )  # fmt: skip


def _cell(share: float | None, p: float | None, decided: int) -> str:
    return NONE if share is None or not decided else f"{100 * share:.0f}" + ("*" if p is not None and p < 0.05 else "")


def _shares(question: str, found: dict) -> Chart:
    """Wins, ties and losses of each contestant over all of its pairs."""
    counts = {name: [0, 0, 0] for name in found["order"]}
    for pair in found["pairs"]:
        for name, won, lost in ((pair["a"], "wins_a", "wins_b"), (pair["b"], "wins_b", "wins_a")):
            for place, value in enumerate((pair[won], pair["ties"], pair[lost])):
                counts[name][place] += value
    rows = [{"label": Name(name), "shares": [value / max(sum(own), 1) for value in own], "n": sum(own)}
            for name, own in counts.items()]  # fmt: skip
    sentence = f"In {percent(found['ties'])} of {found['n']} choices neither was chosen."
    return Chart(f"shares_{question}", "bars", f"Wins, ties and losses: {plainly(question)}",
                 "Over all pairs of a contestant.", {"rows": rows, "parts": ["wins", "neither", "losses"],
                 "x": "share of choices"}, sentence)  # fmt: skip


def _chats(own: dict) -> Section | None:
    text = [found["sentence"] for found in own["comparisons"]]
    tests = own["degeneration"]["tests"]
    text += [test["sentence"] for test in tests.values() if test["share"] > 0]
    if tests and not any(test["share"] > 0 for test in tests.values()):
        text.append("No contestant goes round in circles in any of its self-chats.")
    training = own["training"]
    text += [row["sentence"] for row in training["shares"] if row["kind"] == "self"]
    if not text:
        return None
    if not training["shares"]:
        text.append(f"What share of answers comes from the training data isn't known: {training.get('why', '')}.")
    charts, tables = [], []
    if len(own["kinds"]) > 1:
        rows = [
            {"label": Name(bot), "estimate": found["score"][bot], "low": found["score_ci"][bot][0],
             "high": found["score_ci"][bot][1], "group": found["what"]}
            for found in own["kinds"].values() for bot in found["order"]
        ]  # fmt: skip
        charts.append(Chart("chats", "forest", "Who is preferred, by kind of conversation", "Lines are 95 % intervals.",
                            {"rows": rows, "reference": 0.5, "x": "share of wins"},
                            _orders(own)))  # fmt: skip
    for found in own["comparisons"]:
        rows = [(Name(p["a"]), Name(p["b"]), percent(p["x"]), percent(p["y"]), interval(p["ci"]),
                 p_value(p["p_adjusted"])) for p in found["pairs"]]  # fmt: skip
        x, y = (KINDS[kind] for kind in found["kinds"])
        tables.append(Table(f"{x.capitalize()} against {y}", "The interval is of the difference of the two win shares.",
                            ("contestant", "over", x, y, "difference", "adjusted p"), rows,
                            folded=len(rows) > shared.LONG))  # fmt: skip
    rows = [(Name(r["name"]), KINDS[r["kind"]], str(r["turns"]), percent(r["share"], 1), interval(r["ci"], 1))
            for r in own["degeneration"]["shares"]]  # fmt: skip
    tables.append(Table(
        "Turns that go round in circles", "The same words again and again, an earlier turn of one's own or the other's",
        ("contestant", "conversations of", "turns", "share", "95 % interval"), rows, folded=len(rows) > shared.LONG,
    ))  # fmt: skip
    if training["shares"]:
        rows = [(Name(r["name"]), KINDS[r["kind"]], str(r["pairs"]), percent(r["share"], 1), interval(r["ci"], 1))
                for r in training["shares"]]  # fmt: skip
        tables.append(Table(
            "Answers learnt by heart", "Answers that stand in the training data as the answer to the very turn before.",
            ("contestant", "conversations of", "answers", "share", "95 % interval"), rows,
            folded=len(rows) > shared.LONG,
        ))  # fmt: skip
    return Section("self_chats", "Do self-chats say the same?", text, charts, tables)


def _orders(own: dict) -> str:
    """The order by each kind of conversation."""
    said = [
        f"of {found['what']}: {' > '.join(who(name) for name in found['order'])}" for found in own["kinds"].values()
    ]
    return f"By conversations {'; '.join(said)}."


def _same(own: dict) -> Section | None:
    text = [f"{plainly(q).capitalize()}, {row['sentence']}" for q, tests in own["tests"].items() for row in tests]
    for question, found in own["left"].items():
        clear = "more than chance explains" if found["p"] < 0.05 else "as chance would have it"
        text.append(
            f"{plainly(question).capitalize()}: of all {found['n']} choices the left conversation got "
            f"{percent(found['estimate'])} ({interval(found['ci'])}), {clear}."
        )
    if not text:
        return None
    if "why" in own:
        text.append(f"{own['why'].capitalize()}, so there is no test of a bot against itself.")
    rows = [
        (plainly(question), row["name"] if row["name"] == "all" else Name(row["name"]), percent(row["estimate"], 1),
         interval(row["ci"], 1), str(row["n"]), p_value(row["p"]), p_value(row["p_mid"]), percent(row["size"], 1))
        for question, tests in own["tests"].items() for row in tests
    ]  # fmt: skip
    tables = [Table(
        "Against itself (A/A)",
        "Where a contestant meets itself, both sides should be chosen alike; a small p says something else decides.",
        ("question", "contestant", "share of the left", "95 % interval", "n", "p", "mid-p", "false alarms"), rows,
        method="Exact binomial test of the decided choices. Where both sides are equal it rejects in fewer than 5 % of "
        "studies: in how many stands in the last column.", cite=("clopper1934",),
    )] if rows else []  # fmt: skip
    return Section("against_itself", "Is it the side?", text, [], tables)


def _wordings(own: dict) -> Section | None:
    if not own["wordings"]:
        return None
    rows = [{"label": plainly(name), "estimate": found["estimate"], "low": found["ci"][0], "high": found["ci"][1]}
            for name, found in sorted(own["wordings"].items(), key=lambda e: -e[1]["estimate"])]  # fmt: skip
    known = ", ".join(f"{who(a)} over {who(b)}" for a, b in own["known"]) or "people over bots"
    chart = Chart("wordings", "forest", "Agreement by wording", f"Share of choices for the better one ({known}).",
                  {"rows": rows, "reference": 0.5, "x": "share of right choices"}, own["sentences"][0])  # fmt: skip
    agreed = Table(
        "Wordings", "Right: for the conversation that is known to be better. Alike: couples of answers about one pair.",
        ("wording", "right", "95 % interval", "n", "pairs", "alike", "alpha", "asked"),
        [(plainly(name), percent(f["estimate"], 1), interval(f["ci"], 1), str(f["n"]), str(f["pairs"]),
          percent(f["alike"]), number(f["alpha"]), own.get("texts", {}).get(name, NONE))
         for name, f in own["wordings"].items()],
    )  # fmt: skip
    differences = Table(
        "Differences between wordings",
        "On the pairs that both were put for, if most choices are about these; else on all.",
        ("wording", "against", "difference", "95 % interval", "pairs of conversations", "adjusted p"),
        [(plainly(row["a"]), plainly(row["b"]), percent(row["estimate"], 1), interval(row["ci"], 1),
          f"{row['pairs']}, the same for both" if row["paired"] else "each its own", p_value(row["p_adjusted"]))
         for row in own["differences"]],
        folded=len(own["differences"]) > shared.LONG,
        method="Difference of shares over its standard error clustered by conversations and annotators; Holm-adjusted.",
        cite=("cameron2011", "holm1979"),
    )  # fmt: skip
    text = own["sentences"] + ([own["note"]] if "note" in own else [])
    return Section("wordings", "Which wording do people answer alike?", text, [chart],
                   [agreed] + ([differences] if own["differences"] else []))  # fmt: skip
