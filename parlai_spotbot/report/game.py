"""The game of the paper's appendix B: who played how, who leads, and what the results are without bad habits.

From one source's results as they stand in ``analysis/game.json``, and the bounds of ``survival.json``.
"""

from __future__ import annotations

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, MUTED, WIDTH, WIN, Drawing, drawn, svg
from parlai_spotbot.report.figures import PERCENT
from parlai_spotbot.wording import NAMED, between, listed, number, p_value, percent

CAPTION = (
    "Left: a mark an annotator, by the share of dialogues with both decisions after one exchange, and with none "
    "before everything was open; hollow, with their numbers, where the rule finds a habit. Right: how often sure "
    "decisions were right, by the exchanges open; bars are 95 % intervals that take decisions as independent."
)


def habits(own: dict, numbers: dict[str, str], name: str, caution: str = "") -> Drawing | None:
    """How annotators play, and how often they are right by the exchanges open."""
    found = own.get("habits") or {}
    if not found:
        return None
    once, everything = (entry["annotators"] for entry in found.values())
    with drawn(WIDTH, 2.7) as figure:
        left, right = figure.subplots(1, 2)
        marked: dict[tuple[float, float], list[str]] = {}
        for worker, entry in once.items():
            other = everything[worker]
            if entry["share"] is None or other["share"] is None:
                continue
            face = "none" if entry["flagged"] or other["flagged"] else WIN
            left.plot(entry["share"], other["share"], "o", color=WIN, mfc=face, ms=4.5, clip_on=False)
            if face == "none":
                marked.setdefault((entry["share"], other["share"]), []).append(numbers.get(worker, ""))
        for place, names in marked.items():
            if len(names) <= NAMED:
                left.annotate(", ".join(names), place, (-4, 6), textcoords="offset points", fontsize=6.5)
        for axes in (left, right):
            axes.grid()
            axes.set_ylim(-0.03, 1.05)
            axes.yaxis.set_major_formatter(PERCENT)
        left.set_xlim(-0.03, 1.05)
        left.set_xticks([0, 0.5, 1])
        left.xaxis.set_major_formatter(PERCENT)
        left.set_xlabel("decided at once")
        left.set_title("Opened everything first")
        rows = [row for row in own["accuracy_by_opened"] if row["accuracy"] is not None]
        for row in rows:
            ends = _wilson(row["right"], row["right"] + row["wrong"])
            right.plot([row["exchanges"]] * 2, ends, color=MUTED, lw=1.2)
            right.plot(row["exchanges"], row["accuracy"], "o", color=INK, ms=4.5)
        right.set_xticks([row["exchanges"] for row in rows])
        right.set_xlabel("exchanges open")
        right.set_title("Right when sure")
        data = [{"what": habit, "annotator": numbers.get(worker, ""), "share": e["share"], "n": e.get("items"),
                 "flagged": "yes" if e["flagged"] else "no"}
                for habit, of in found.items() for worker, e in of["annotators"].items()]  # fmt: skip
        for row in rows:
            low, high = _wilson(row["right"], row["right"] + row["wrong"])
            data.append({"what": "right when sure", "exchanges": row["exchanges"], "share": row["accuracy"],
                         "low": low, "high": high, "n": row["right"] + row["wrong"]})  # fmt: skip
        return svg(figure, name, "How annotators play the game, and how often they are right", caution, data)


def _wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.959963984540054
    middle, half = (hits + z * z / 2) / (n + z * z), z * (hits * (n - hits) / n + z * z / 4) ** 0.5 / (n + z * z)
    return middle - half, middle + half


def bonus_sentence(own: dict, named: dict[str, str]) -> str:
    """Who leads, and is to be paid the bonus."""
    board = own.get("leaderboard") or []
    if not board:
        return ""
    winners = [named.get(worker, "annotator") for worker in own["bonus"]["annotators"]]
    verb = "lead" if len(winners) > 1 else "leads"
    who = listed(winners)
    return f"{who[:1].upper()}{who[1:]} {verb} with {number(own['bonus']['points'], 0)} points and gets the bonus."


def leaderboard(own: dict, named: dict[str, str]) -> Table | None:
    found = own.get("leaderboard")
    if not found:
        return None
    rows = [
        (named.get(e["worker_id"], "annotator"), str(e["rank"]), number(e["points"], 0), str(e["units"]),
         number(e["points_per_unit"], 1), f"{e['right']} / {e['wrong']} / {e['unsure']}", percent(e["accuracy"]),
         number(e["mean_opened"], 1), "bonus" if e["bonus"] else "–")
        for e in found
    ]  # fmt: skip
    points = own["points"]
    how = (
        f"{number(points['right'], 0)} points for an entity called what it is, {number(points['wrong'], 0)} for one "
        f"called what it is not, 0 for unsure, less {number(points['penalty'], 0)} for every exchange beyond the first "
        "that was open; known segments count. Accuracy is of the sure decisions; always “bot” can be accurate, too."
    )
    head = ("", "Place", "Points", "Units", "Points a unit", "Right / wrong / unsure", "Accuracy", "Exchanges open", "")
    return Table("Leaderboard", how, head, rows, folded=len(rows) > 12)


def opened(own: dict) -> Table | None:
    found = own.get("opened")
    if not found:
        return None
    rows = [
        (Name(e["name"]), str(e["n"]), number(e["mean"], 1), number(e["mean_called_bot"], 1),
         number(e["mean_called_human"], 1), percent(e["first"]), percent(e["all"]))
        for e in found
    ]  # fmt: skip
    how = (
        "Exchanges open when annotators decided for an entity: in the mean, where they called it a bot, where human; "
        "how often that was the first exchange, and how often all of them. Means differ between bots because "
        "annotators stop when they are sure."
    )
    head = ("", "Decisions", "Exchanges", "called bot", "called human", "At the first", "With all open")
    return Table("Exchanges opened", how, head, rows)


def habits_table(own: dict, named: dict[str, str]) -> Table | None:
    """The annotators with a habit, and those who come near."""
    rows = []
    for habit, found in (own.get("habits") or {}).items():
        for worker, e in found["annotators"].items():
            if e["flagged"] or (e["share"] or 0) >= 0.5:
                accuracy = f"{percent(e['accuracy_bots'])} / {percent(e['accuracy_people'])}"
                cells = (named.get(worker, "annotator"), habit, f"{e['count']} of {e['items']}", percent(e["share"]))
                rows.append((*cells, p_value(e["p_adjusted"]), "yes" if e["flagged"] else "no", accuracy))
    if not rows:
        return None
    told = [f"“{habit}”: {found['rule']}" for habit, found in own["habits"].items()]
    alarms = [
        f"{habit} {percent(found['false_alarms']['studies'])}"
        for habit, found in own["habits"].items()
        if found["false_alarms"]["studies"] is not None
    ]
    how = f"Annotators who do it with half of their dialogues or more. Flagged is who {'; '.join(told)}. "
    if alarms:
        how += f"Simulated studies without such habits in which the rule flags anybody: {', '.join(alarms)}. "
    how += "Last, how often sure decisions on bots and on people were right: those who guess come near half of both."
    head = ("", "Habit", "Dialogues", "Share", "p, adjusted", "Flagged", "Right on bots / people")
    return Table("Habits", how, head, rows)


def without(own: dict) -> Table | None:
    """Win rates and survival with and without the annotators who have a habit."""
    found = own.get("without")
    if not found:
        return None
    names = [row["name"] for row in found["nobody"]["bots"]]
    rows = []
    for name, e in found.items():
        if name != "nobody" and not e["annotators"]:
            continue
        cells = []
        by_name = {row["name"]: row for row in e["bots"]}
        for bot in names:
            row = by_name.get(bot, {})
            rate = "" if bot == HUMAN else percent(row.get("win_rate")) + _ends(row, "win_rate") + " · "
            cells.append(f"{rate}{percent(row.get('pass_last'))}{_ends(row, 'pass_last')}")
        rows.append((name, str(e["annotators"]), str(e["annotations"]), percent(e["accuracy"]), *cells))
    empty = [name for name, e in found.items() if name != "nobody" and not e["annotators"]]
    how = (
        "Without the annotators of a habit: how many they are, with how many annotations; the accuracy of the "
        "others; for each bot its win rate and the share that passes after all exchanges, for people that share, "
        "with 95 % intervals."
    )
    if empty:
        how += f" Nobody: {', '.join(empty)}."
    people = ["people" if bot == HUMAN else bot for bot in names]
    return Table("Results without habits", how, ("Left out", "Annotators", "Annotations", "Accuracy", *people), rows)


def _ends(row: dict, key: str) -> str:
    return between([row.get(f"{key}_low"), row.get(f"{key}_high")])


def bounds(survival: dict) -> Table | None:
    """Between what each curve must lie, whyever annotators stopped."""
    found = {name: curve for name, curve in (survival.get("curves") or {}).items() if "bounds" in curve}
    if not found:
        return None
    lengths = sorted({k for curve in found.values() for k in curve["exchanges"]})
    rows = []
    for name, curve in found.items():
        own = curve["bounds"]
        at = {k: (own["low"][i], own["high"][i], own["ci"][i]) for i, k in enumerate(curve["exchanges"])}
        cells = [f"{percent(at[k][0])} to {percent(at[k][1])}{between(at[k][2])}" if k in at else "–" for k in lengths]
        rows.append((Name(name), *cells))
    how = (
        "Between what the share that passes lies however annotators chose to stop: from all who stopped before "
        "having been about to spot it, to none of them; in brackets with 95 % intervals of both ends. A curve above "
        "assumes that they would have gone on like the others."
    )
    return Table("Bounds of survival", how, ("", *(f"{k} exchanges" for k in lengths)), rows)
