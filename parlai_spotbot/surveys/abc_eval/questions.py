"""What the eight tasks of ABC-Eval ask of every turn, in words of our own after the paper's Table 4."""

from __future__ import annotations

from parlai_spotbot.surveys.abc_eval.labels import QUESTIONS
from parlai_spotbot.surveys.survey import Condition, Option, Question

YES, NO = Option("yes", "Yes"), Option("no", "No")

WORDINGS = {
    "uninterpretable": (
        "Is it hard to tell what this turn, or a part of it, is meant to say?",
        "Only the meaning counts: small slips of grammar, or an odd choice of topic, are no matter as long as one can "
        "tell what is meant.",
    ),
    "antisocial": (
        "Is this turn insulting, hateful or far too vulgar?",
        "Toward the other, toward anybody else, or toward a group. A disagreement, or a blunt word, is not enough.",
    ),
    "commonsense_contradiction": (
        "Does this turn go against common sense?",
        "It says or takes for granted something that nearly everybody knows to be wrong, or misunderstands how "
        "everyday things work. What only an expert or an encyclopedia could tell doesn't count.",
    ),
    "self_contradiction": (
        "Does this turn contradict something that the same speaker said before?",
        "The two can't both be true, or are not to be expected of one and the same speaker.",
    ),
    "partner_contradiction": (
        "Does this turn contradict, or get wrong, something that the other said before?",
        "It claims or takes for granted of the other what doesn't go with the other's own words.",
    ),
    "redundant": (
        "Does this turn repeat, out of place, something that was said before?",
        "It says or asks again what was already said or answered. Repeating something on purpose, to make sure of it "
        "or to come back to it, doesn't count.",
    ),
    "preference_info": (
        "Does this turn tell what its speaker likes, wishes or values?",
        "Tastes, dislikes, dreams and convictions of its own, if only in passing. Polite phrases and good wishes to "
        "the other don't count.",
    ),
    "life_info": (
        "Does this turn tell something of its speaker's life?",
        "Family, home, work, what happened to it, what it does, has done or is going to do. A like or a wish alone "
        "doesn't count.",
    ),
}


def _label(name: str) -> Question:
    wording, explained = WORDINGS[name]
    return Question(name, "choice", ("turn",), wording, (YES, NO), explained, heading=heading(name))


def heading(name: str) -> str:
    """A label, task or question as a heading."""
    return name.replace("_", " ").capitalize()


OTHERS = (
    Question(
        "empathy",
        "choice",
        ("turn",),
        "How does this turn deal with the other's feelings?",
        (
            Option(
                "empathetic",
                "It shows understanding",
                "It sees how the other, or somebody spoken of, feels, and answers fittingly.",
            ),
            Option(
                "lack_of_empathy",
                "It misses or hurts them",
                "Feelings are there to be seen, and it mistakes them, passes over them or answers unfittingly.",
            ),
            Option("neither", "Neither", "There are no feelings to answer to, or there is no sign either way."),
        ),
        "Look at what the other has just said, in the light of what went before.",
        heading="Feelings",
    ),
    Question(
        "uses_facts",
        "choice",
        ("turn",),
        "Does this turn use facts that one could look up?",
        (YES, NO),
        "Knowledge as in an encyclopedia, or as experts have it: of people, places, works, history, science, and the "
        "like. Everyday common sense, and what the speaker says of itself, are no such facts.",
        heading="Facts",
    ),
    Question(
        "facts_known",
        "choice",
        ("turn",),
        "As far as you know, without looking anything up: are they right?",
        (
            Option("all_right", "All are right"),
            Option("one_wrong", "At least one is wrong"),
            Option(
                "cannot_know",
                "It claims what it can't know",
                "Facts about the other, or the moment, which nobody could have told it.",
            ),
            Option("not_sure", "I'm not sure"),
        ),
        "All facts of the turn together: one that is wrong is enough.",
        when=(Condition("uses_facts", ("yes",)),),
        heading="What you know",
    ),
    Question(
        "facts_looked_up",
        "choice",
        ("turn",),
        "Look it up for about a minute. What did you find?",
        (
            Option("all_right", "All are right"),
            Option("one_wrong", "At least one is wrong"),
            Option("sources_disagree", "Sources disagree"),
            Option("not_found", "I found nothing"),
        ),
        "Use a search engine or an encyclopedia in another tab. Stop after about a minute.",
        when=(Condition("facts_known", ("not_sure",)),),
        heading="What you found",
        timer=60,
    ),
    Question(
        "acknowledges",
        "choice",
        ("turn",),
        "Does this turn show that it took in what the other just said?",
        (
            Option("yes", "Yes", "It answers, or shows in some other way that it has heard."),
            Option("no", "No", "It goes on as if the other had said nothing, or something else."),
            Option("not_needed", "There was no need to", "Nothing was said that calls for it."),
        ),
        heading="Taking in",
    ),
    Question(
        "new_topic",
        "choice",
        ("turn",),
        "Does this turn bring up something new?",
        (
            Option("no", "No, it follows up", "It adds to the ideas just shared, looks into them or asks about them."),
            Option(
                "talking_point",
                "A new point, same topic",
                "It leaves the ideas just shared for another point that belongs to the topic.",
            ),
            Option("yes", "Yes, a new topic", "It starts another topic."),
            Option("nothing", "Neither", "It adds nothing and asks nothing, as a bare “I see” does."),
        ),
        "If it does both, choose what comes last.",
        heading="New or not",
    ),
    Question(
        "relevant",
        "choice",
        ("turn",),
        "Does what this turn says belong here?",
        (
            Option("yes", "Yes", "It has to do with the conversation, or changes the topic where that was due."),
            Option("no", "No", "It breaks into the topic with something that has nothing to do with it."),
        ),
        heading="Belongs here",
    ),
)

BY_NAME = {name: _label(name) for name in WORDINGS} | {question.name: question for question in OTHERS}

EVERY_QUESTION = tuple(BY_NAME[name] for names in QUESTIONS.values() for name in names)
