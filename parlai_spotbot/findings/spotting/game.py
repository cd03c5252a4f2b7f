"""The game of the paper's appendix B: who played how, who leads, and what the results are without bad habits."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import ALL, Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.players import LEADERBOARD, WITHOUT, players
from parlai_spotbot.findings.spotting.stopping import stopping
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import between, listed, number, p_value, percent, upper_first, who

NO_GAME = "a judge is shown everything at once: it plays no game"


def compute(own: Annotations) -> dict:
    """How annotators stop, and how they play; of a judge, why there is nothing."""
    return {**stopping(own), **players(own)} if own.followed else {"why": NO_GAME}


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Who plays how, who leads, and what is left without those whose habits defeat the game."""
    own = result.data
    if not own.get("leaderboard"):
        return []
    stops = [(own.get(key) or {}).get("sentence") for key in ("depends", "test")]
    text = [sentence for sentence in (*stops, _bonus_sentence(own, result)) if sentence]
    made = (_leaderboard_table(own, result), _habits_table(own, result), _without_table(own), _opened_table(own))
    tables = [table for table in made if table is not None]
    return [Section("game", "Game", text, _charts(own, result), tables, open_tables=ALL)]


def _charts(own: Mapping, result: Result) -> list[Chart]:
    """How annotators play, and how often they are right by the exchanges open."""
    once, everything = (entry["annotators"] for entry in own["habits"].values())
    points = []
    for worker, entry in once.items():
        other = everything[worker]
        hollow = entry["flagged"] or other["flagged"]
        number_of = result.called(worker).removeprefix("annotator ") if hollow else ""
        place = {"x": entry["share"], "y": other["share"], "low": None, "high": None, "x_low": None, "x_high": None}
        points.append({"label": number_of, **place, "hollow": hollow})
    rows = [
        {
            "what": habit,
            "annotator": result.called(worker).removeprefix("annotator "),
            "share": entry["share"],
            "n": entry.get("items"),
            "flagged": "yes" if entry["flagged"] else "no",
        }
        for habit, found in own["habits"].items()
        for worker, entry in found["annotators"].items()
    ]
    caption = (
        "A mark an annotator, by the share of dialogues with both decisions after one exchange, and with none before "
        "everything was open; hollow, with their numbers, where the rule finds a habit."
    )
    x, y = "share decided at once", "share with everything opened first"
    label = "How annotators play the game"
    play = Chart(
        "habits",
        "points",
        "",
        caption,
        {"points": points, "x": x, "y": y},
        own["habits_sentence"],
        label=label,
        rows=rows,
    )
    right = [row for row in own["accuracy_by_opened"] if row["accuracy"] is not None]
    steps = [row["exchanges"] for row in right]
    series = {"label": "right when sure", "x": steps, "y": [row["accuracy"] for row in right]}
    series |= {end: [row.get(end) for row in right] for end in ("low", "high")}
    caption = (
        "How often sure decisions were right, by the exchanges open; the band is of 95 % intervals that take decisions "
        "as independent."
    )
    rows = [
        {
            "exchanges": row["exchanges"],
            "share": row["accuracy"],
            "low": row.get("low"),
            "high": row.get("high"),
            "n": row["right"] + row["wrong"],
        }
        for row in right
    ]
    data = {"series": [series], "x": "exchanges open", "y": "share right when sure"}
    label = "How often annotators are right by the exchanges open"
    return [play, Chart("right", "lines", "", caption, data, label=label, rows=rows)]


def _bonus_sentence(own: Mapping, result: Result) -> str:
    """Who leads, and is to be paid the bonus."""
    board = own.get("leaderboard") or []
    if not board:
        return ""
    winners = [result.called(worker) for worker in own["bonus"]["annotators"]]
    verb = "lead" if len(winners) > 1 else "leads"
    return f"{upper_first(listed(winners))} {verb} with {number(own['bonus']['points'], 0)} points and gets the bonus."


def _leaderboard_table(own: Mapping, result: Result) -> Table | None:
    found = own.get("leaderboard")
    if not found:
        return None
    rows = [
        (
            result.called(e["worker_id"]),
            str(e["rank"]),
            number(e["points"], 0),
            str(e["units"]),
            number(e["points_per_unit"], 1),
            f"{e['right']} / {e['wrong']} / {e['unsure']}",
            percent(e["accuracy"]),
            number(e["mean_opened"], 1),
            "bonus" if e["bonus"] else "–",
        )
        for e in found
    ]
    points = own["points"]
    how = (
        f"{number(points['right'], 0)} points for an entity called what it is, {number(points['wrong'], 0)} for one "
        f"called what it is not, 0 for unsure, less {number(points['penalty'], 0)} for every exchange beyond the first "
        "that was open; known segments count. Accuracy is of the sure decisions; always “bot” can be accurate, too."
    )
    head = ("", "Place", "Points", "Units", "Points a unit", "Right / wrong / unsure", "Accuracy", "Exchanges open", "")
    return Table("Leaderboard", how, head, rows, folded=len(rows) > 12)


def _opened_table(own: Mapping) -> Table | None:
    found = own.get("opened")
    if not found:
        return None
    rows = [
        (
            Name(e["name"]),
            str(e["n"]),
            number(e["mean"], 1),
            number(e["mean_called_bot"], 1),
            number(e["mean_called_human"], 1),
            percent(e["first"]),
            percent(e["all"]),
        )
        for e in found
    ]
    how = (
        "Exchanges open when annotators decided for an entity: in the mean, where they called it a bot, where human; "
        "how often that was the first exchange, and how often all of them. Means differ between bots because "
        "annotators stop when they are sure."
    )
    head = ("", "Decisions", "Exchanges", "called bot", "called human", "At the first", "With all open")
    return Table("Exchanges opened", how, head, rows)


def _habits_table(own: Mapping, result: Result) -> Table | None:
    """The annotators with a habit, and those who come near."""
    rows = []
    for habit, found in (own.get("habits") or {}).items():
        for worker, e in found["annotators"].items():
            if e["flagged"] or (e["share"] or 0) >= 0.5:
                accuracy = f"{percent(e['accuracy_bots'])} / {percent(e['accuracy_people'])}"
                cells = (result.called(worker), habit, f"{e['count']} of {e['items']}", percent(e["share"]))
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


def _without_table(own: Mapping) -> Table | None:
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
    people = [who(bot) for bot in names]
    return Table("Results without habits", how, ("Left out", "Annotators", "Annotations", "Accuracy", *people), rows)


def _ends(row: dict, key: str) -> str:
    return between([row.get(f"{key}_low"), row.get(f"{key}_high")])


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables game_leaderboard, game_opened, game_accuracy, game_habits and game_without."""
    for row in data.get("leaderboard", []):
        yield "game_leaderboard", {key: row[key] for key in LEADERBOARD}
    for row in data.get("opened", []):
        yield "game_opened", row
    for row in data.get("accuracy_by_opened", []):
        yield "game_accuracy", row
    for habit, found in data.get("habits", {}).items():
        for worker, row in found["annotators"].items():
            yield "game_habits", {"habit": habit, "worker_id": worker, **row}
    for name, entry in data.get("without", {}).items():
        for row in entry["bots"]:
            yield "game_without", {"without": name, **{key: entry[key] for key in WITHOUT}, **row}


FINDING = Finding("game", FORM, compute, tell, rows, place=40, surveys=("spot_the_bot_game",))
