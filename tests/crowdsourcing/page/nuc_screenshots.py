"""Makes the pictures of the page of Next-Utterance Classification.

.venv/bin/python tests/crowdsourcing/page/nuc_screenshots.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))

import picking
from chromium import browser
from nuc_stage import right_place, serving
from screenshots import shoot
from stage import DESKTOP, PHONE, button, heading, page_in

from parlai_spotbot.nuc.corpora import Corpus, CorpusDialogue
from parlai_spotbot.nuc.sampling import SamplingSettings, sample

FOLDER = Path(__file__).parents[3] / "crowdsourcing" / "nuc" / "screenshots"
TALKS = (
    (
        "did the landlord call back about the boiler?",
        "he did. somebody is coming on Thursday, he says",
        "that's three days without hot water!",
        "we can shower at my sister's, she has offered it",
    ),
    (
        "how was the choir last night?",
        "we sang the whole requiem, for the first time without stopping",
        "wow, so you are ready for the concert?",
        "the altos are. the tenors need another month",
    ),
    (
        "I can't get the printer to talk to the new router",
        "did you give it the new password?",
        "it never asked for one",
        "hold the wifi button until it blinks, then it asks",
    ),
    (
        "do you still bake your own bread?",
        "every Sunday. this week it came out like a brick",
        "too little yeast?",
        "I forgot it on the window sill, and there was frost",
    ),
    (
        "which way did you take to the lake?",
        "through the woods, the road was flooded",
        "was the ferry running at least?",
        "only until four, so we had to hurry back",
    ),
    (
        "my daughter wants to learn the drums",
        "poor you. do you have a cellar?",
        "a thin-walled flat and an old neighbour",
        "then buy her an electric kit with headphones",
    ),
    (
        "what happened to your hand?",
        "I slipped with the bread knife",
        "does it need stitches?",
        "no, it looks worse than it is",
    ),
    (
        "is the museum open on Mondays?",
        "I think they close then",
        "and on public holidays?",
        "only at Christmas, as far as I know",
    ),
    (
        "we need a name for the boat",
        "what about something with a bird in it?",
        "everybody has a gull on theirs",
        "nobody has a wagtail",
    ),
    (
        "your tomatoes look healthy",
        "thanks, I moved them under the roof",
        "because of the rain?",
        "yes, the leaves went brown last year",
    ),
    (
        "have you seen my blue scarf?",
        "it was on the hook in the hall",
        "it isn't there any more",
        "then ask your brother, he went out in something blue",
    ),
    (
        "how do I get the red wine out of the carpet?",
        "salt first, then cold water",
        "how long should the salt stay?",
        "until it has turned pink all the way through",
    ),
    ("did you finish the crossword?", "all but one word", "which one?", "seven letters, a river in Siberia"),
    (
        "the bus was late again",
        "how late this time?",
        "long enough to read the whole paper",
        "you should write to the company",
    ),
)


def questions(corpus: str, *_: object) -> list:
    """Questions that read like real ones, in place of the tests' own, of one corpus alone."""
    if corpus != "movies":
        return []
    dialogues = tuple(CorpusDialogue(f"talk{i}", turns, ("0", "1", "0", "1")) for i, turns in enumerate(TALKS))
    return sample(Corpus("talks", dialogues), SamplingSettings(candidates=5, lengths="3", questions=14)).questions


def walk(page, st, folder: Path, stem: str) -> None:
    """From the link to the overview, with a picture of each screen."""
    page.goto(st.link(stem or "wide"))
    button(page, "I agree and want to take part").click()
    heading(page, "What to do")
    shoot(page, folder, f"{stem}instructions", whole=True)
    button(page, "I have understood").click()
    button(page, "Start").click()
    pictured = False
    for number in range(1, 7):
        heading(page, f"Conversation {number} of 6")
        page.locator('[data-question="first conversation:0"]').wait_for()
        place = right_place(page, -1)
        whole, place = place < 0 and not pictured, max(place, 0)
        page.locator(".option").nth(place).click()
        if whole:
            shoot(page, folder, f"{stem}first-choice", whole=True)
        page.locator(".panel .actions .primary").click()
        page.locator('[data-question="second conversation:0"]').wait_for()
        page.locator(".option").nth((place + 1) % 5).click()
        if whole:
            shoot(page, folder, f"{stem}second-choice", whole=True)
            pictured = True
        page.locator(".panel .actions .primary").click()
    heading(page, "About you")
    shoot(page, folder, f"{stem}about-you", whole=True)
    button(page, "To the overview").click()
    heading(page, "Overview")
    shoot(page, folder, f"{stem}overview", whole=True)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    picking.questions = questions
    with browser() as chromium, tempfile.TemporaryDirectory() as scratch, serving(Path(scratch), 3, annotators=2) as st:
        for stem, size, scheme in (("", DESKTOP, "light"), ("phone-", PHONE, "dark")):
            page = page_in(chromium, size, color_scheme=scheme)
            walk(page, st, folder, stem)
            assert page.said == []


if __name__ == "__main__":
    main()
