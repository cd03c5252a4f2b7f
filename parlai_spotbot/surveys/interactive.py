"""Interactive: people chat with two contestants, rate each of them from 1 to 5 in eight dimensions, then compare them.

ABC-Eval (2022, section 3): a random pair of bots, at least 30 messages with each, the ratings after each chat, the
choices after both; 18 conversations (nine units) a person at most. The chats become conversations of the study, which
every other survey may show.
"""

from __future__ import annotations

from parlai_spotbot.surveys import dimensions
from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.survey import ChatRules, Limits, Survey

CHOICE = "_choice"
"""How the names of the questions end that compare the two partners."""

CONSENT = (
    "You are invited to take part in a study on chatbots. In each task you chat in writing with two partners, one "
    "after the other. Both are computer programs. After each chat you rate the partner, and in the end you compare the "
    "two. Programs of this kind make things up, and now and then one may write something odd or unpleasant.",
    "Never write anything personal: no names of real people, no addresses, numbers, health matters or anything else "
    "that could tell who you or others are. You may make things up about yourself whenever you like.",
    "What is kept: everything that you and your partners write in the chats, your ratings and comments, when each was "
    "sent, and the id by which your platform or your invitation names you. The chats may be published and given to "
    "other researchers, and other people may read and rate them. A pseudonym stands in the place of your id there.",
    "Time and pay: you may do at most {units} tasks and have {minutes} minutes for each. Pay for a task: {pay}. A "
    "partner may break down. Then you can end the task at once: a chat that you have rated by then is kept like any "
    "other, what you did is noted, and the task doesn't count as one of yours.",
    "Taking part is voluntary. You may stop at any time without giving a reason: close the page or give the task back. "
    "What you wrote in a task that you gave back isn't published. To withdraw afterwards, so that your chats "
    "and answers are deleted here, or to ask anything, turn to: {contact}. What has been published by then can't be "
    "called back.",
)

INSTRUCTIONS = (
    "You will chat with two partners, one after the other. Both are chatbots; which ones isn't told.\n\n"
    "You write first. Talk about whatever you like, as you would with somebody whom you have just met, and stay in "
    "the conversation: take up what your partner says, ask, tell, change the topic when it is exhausted. Write whole "
    "messages in English. Please don't test the partner with tricks, don't paste text, and write nothing personal.\n\n"
    "Each chat takes at least the number of messages that the page shows, yours and your partner's together. Then "
    "rate this partner in eight respects from 1 to 5; what each means is explained at the question. A rating is final "
    "when you hand it in. After the second chat you say in each respect which of the two partners did better.\n\n"
    "A partner may take its time to answer. You can close the page and come back: everything that was said is kept."
)

SURVEY = Survey(
    name="interactive",
    title="Chat with two partners",
    instructions=INSTRUCTIONS,
    questions=(*dimensions.of_speakers(("entity:1",)), *dimensions.of_pairs(CHOICE)),
    layout="chat",
    entities=("You", "Partner"),
    consent=CONSENT,
    limits=Limits(units_per_annotator=9, minutes_per_unit=90.0, controls_per_unit=0),
    thanks="Thank you. Your chats and answers are stored.",
    conversations=("Partner 1", "Partner 2"),
    speakers=("Partner 1", "Partner 2"),
    packing="contestants",
    unit_size=1,
    annotators_per_item=1,
    chat=ChatRules(),
    about=About(
        took=(60 * 8.08 * 2 / 3, "a third of two chats with what is asked of them, by the median of ABC-Eval's"),
        findings=("ratings.ranking", "ratings.annotators", "ratings.time", "chats"),
    ),
)
