"""Logs of tau2-bench, made up: an agent that asks for details one by one, people of all kinds, and simulators of them.

People are drawn by traits that are skewed and go together (who is short is less polite and slips more), tasks have
details of their own number; nothing of it is normal, or independent within a task.
"""

import json
import random
from pathlib import Path

FIELDS = ("order", "email", "zip code", "item", "date")
GOALS = ("return the {w} i bought", "exchange my {w}", "cancel the {w} from last week", "know where my {w} is")
WORDS = (
    "lamp",
    "kettle",
    "backpack",
    "keyboard",
    "bicycle",
    "jacket",
    "mirror",
    "puzzle",
    "desk",
    "camera",
    "tent",
    "speaker",
)
FILLS = (
    "it came with a scratch near the {w}",
    "my sister already has a {w} like that",
    "we move to another flat and the {w} is too big",
    "the colour next to our {w} looks odd",
    "there is a smell of plastic when the {w} is on",
    "nobody told us that the {w} needs a {v}",
    "the box with the {w} was half open",
)
SLIPS = (
    ("don't", "dont"),
    ("I ", "i "),
    ("please", "pls"),
    ("that's", "thats"),
    ("because", "becuase"),
    ("order", "oder"),
)
FAULTS = ("easy", "polite", "never_wrong", "loops")


def person(rng: random.Random) -> dict[str, float]:
    """Return the traits of a person."""
    brisk = rng.betavariate(1.2, 1.5)
    return {
        "polite": 0.6 * rng.betavariate(1, 2) * (1.3 - brisk),
        "slips": brisk * rng.betavariate(1, 2),
        "wrong": 0.3 * rng.betavariate(1, 3),
        "fills": 2.5 * (1 - brisk) * rng.random(),
        "first": rng.betavariate(0.7, 2),
        "asks": 0.4 * rng.random(),
        "leaves": 0.3,
        "loops": 0.04 * rng.random(),
    }


def faulty(traits: dict[str, float], fault: str) -> dict[str, float]:
    """Return traits with a fault."""
    changes = {
        "easy": {"first": 1.0},
        "polite": {"polite": 0.9},
        "never_wrong": {"slips": 0.0, "wrong": 0.0},
        "loops": {"loops": 0.5},
    }
    return traits | changes.get(fault, {})


def conversation(rng: random.Random, task: int, traits: dict[str, float]) -> list[dict]:
    """Return the messages of a conversation on a task."""
    scenario = random.Random(f"task {task}")
    wanted = scenario.sample(FIELDS, scenario.randint(2, 5))
    values = {name: f"{name[:1].upper()}{scenario.randint(10**4, 10**6)}" for name in wanted}
    thing = scenario.choice(WORDS)
    first = [name for name in wanted if rng.random() < traits["first"]]
    left = [name for name in wanted if name not in first]
    begun = f"I want to {scenario.choice(GOALS).format(w=thing)}."
    said = [_styled(rng, " ".join([begun, *(_given(name, values) for name in first)]), traits, [])]
    messages = [("assistant", "Hi! How can I help you today?"), ("user", said[0])]
    for name in left:
        messages.append(("assistant", f"Could you tell me the {name}?"))
        text = _given(name, values)
        if rng.random() < traits["wrong"]:
            text = f"It is {values[name][:-2]}. Wait, no, I meant {values[name]}."
        messages.append(("user", _styled(rng, text, traits, said)))
        said.append(messages[-1][1])
    messages += _end(rng, traits, said)
    return [{"role": role, "content": text} for role, text in messages]


def _end(rng: random.Random, traits: dict[str, float], said: list[str]) -> list[tuple[str, str]]:
    """Return the last messages of a conversation."""
    closing = rng.choice(("Yes, do that.", "Go ahead.", "Yes because that's what I don't like."))
    messages = [
        ("assistant", "I have found it. Shall I go ahead?"),
        ("user", _styled(rng, closing, traits, said)),
        ("assistant", "It is done. Is there anything else?"),
    ]
    if rng.random() >= traits["leaves"]:
        goodbye = rng.choice(("No.", "No, that's all.", "Nothing else today."))
        messages += [("user", _styled(rng, goodbye, traits, said)), ("assistant", "Good bye.")]
    return [*messages, ("user", "###STOP###")]


def _given(name: str, values: dict[str, str]) -> str:
    return f"My {name} is {values[name]}."


def _styled(rng: random.Random, text: str, traits: dict[str, float], said: list[str]) -> str:
    """Return a turn as somebody with these traits writes it."""
    parts = [text]
    for _ in range(int(traits["fills"] + rng.random())):
        parts.append(rng.choice(FILLS).format(w=rng.choice(WORDS), v=rng.choice(WORDS)).capitalize() + ".")
    if rng.random() < traits["asks"]:
        parts.append(rng.choice(("How long does it take?", "Do I get an e-mail?", "What does it cost?")))
    if rng.random() < traits["polite"]:
        parts.append(rng.choice(("Thank you!", "Do it soon, please.", "Sorry for the trouble.")))
    if said and rng.random() < traits["loops"]:
        parts.append(rng.choice(said))
    whole = " ".join(parts)
    if rng.random() < traits["slips"]:
        for right, wrong in SLIPS:
            whole = whole.replace(right, wrong)
    return whole


def simulations(seed: str, tasks: int, trials: int = 1, fault: str = "", llm: str | None = None, each: int = 0) -> dict:
    """Return the contents of a file of simulations; each trial of each task is by a person of its own, or each person
    has `each` of them, and a name."""
    rng = random.Random(seed)
    rows = []
    traits: dict[str, float] = {}
    for task in range(tasks):
        for trial in range(trials):
            if len(rows) % max(each, 1) == 0:
                traits = person(rng)
            row = {"id": f"{task}-{trial}", "task_id": str(task), "trial": trial}
            if each:
                row["user_id"] = f"{seed} {len(rows) // each}"
            rows.append({**row, "messages": conversation(rng, task, faulty(traits, fault))})
    info = {
        "agent_info": {"llm": "gpt-agent"},
        "user_info": {"llm": llm},
        "environment_info": {"domain_name": "retail"},
    }
    return {"info": info, "simulations": rows}


def written(path: Path, *args: object, **options: object) -> Path:
    """Write a file of simulations."""
    path.write_text(json.dumps(simulations(*args, **options)), encoding="utf-8")
    return path
