"""Sentences by which a speaker says to be a machine, and sentences that merely look like it."""

import csv
from pathlib import Path

import pytest
from outside_data import SPOT_THE_BOT, released_data

from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts.self_identification import identifies_itself

LINES = Path(__file__).with_name("self_identification_lines.tsv")
"""What speakers say of themselves, and what merely looks like it, in English and German; half of the latter were
written to mislead. The held-out part was written before the rules, which were made with the other one alone."""

MUST = """
As an AI, I don't have feelings.
as an ai language model , i can not eat .
I'm sorry, but as a large language model I cannot answer that.
As a chatbot, I never sleep.
well as a robot i do not eat
I am a chatbot.
i'm a bot
I'm just a computer program.
i am only a bot , sorry .
I am an artificial intelligence.
I am artificial intelligence.
i am actually an a.i.
I'm an A.I. assistant made to help you.
I am a machine learning model? No: I'm a language model.
Hello! I'm a friendly chatbot.
I'm your virtual assistant.
i ' m a robot
I’m a robot, so I can't taste anything.
i am alice , a chat robot .
My name is Alice, an artificial intelligence.
I'm not a human, so I can't say.
i am not human .
I'm not a real person, but I can listen.
I was programmed to say that.
I am not programmed to love.
I was created by OpenAI.
i was trained by google to be helpful
My programmers didn't teach me that.
It is not in my programming.
I don't have a physical body.
I do not have personal opinions.
We robots don't sleep.
i am just a machine .
I am a computer and you are a person.
I don't really have a father. I have a botmaster.
Does it seem strange to talk to a computer?
Sorry, you are talking to a chatbot.
I'm ChatGPT, nice to meet you.
""".strip().splitlines()

MUST_NOT = """
I'm not a robot!
i am not a bot , are you ?
Are you a bot?
are you an ai or a human
Do you think I'm a robot?
why would you say i am a bot ?
if i am a robot then you are too
I wish I was a robot.
My friend is a robot.
I'm a robotics student.
I am an AI researcher.
i'm a computer science major
I am a computer engineer.
I'm an android user, what about you?
I am a machine operator in a factory.
I'm a cleaning machine on Sundays.
He dressed as a robot for Halloween.
I work as a programmer for a robot company.
As a child, I loved robots.
I am afraid of robots.
i am a fan of robot movies
I am a human, not a bot.
I'm like a robot before my coffee.
my programming class is hard
My computer is broken.
I was trained to be a chef.
i was made by my mom to go
I don't have a bodyguard.
I don't have personal experience with that.
I'm not a real fan of that.
I'm not a human resources person.
I am a bottle collector.
i am a big ai fan
you sound like a chatbot
I am an assistant at a law firm.
we both like robots
are you talking to a robot company
then I'm just a bad computer detector. Who's there?
I'm more of the computer generated graphics that you see in movies
""".strip().splitlines()


@pytest.mark.parametrize("sentence", MUST)
def test_who_says_to_be_a_machine_is_heard(sentence):
    assert identifies_itself(sentence)


@pytest.mark.parametrize("sentence", MUST_NOT)
def test_who_does_not_is_not(sentence):
    assert not identifies_itself(sentence)


def test_in_the_middle_of_a_turn_and_beside_a_question():
    assert identifies_itself("Nice! Do you like tea? I can't drink, I'm a bot.")
    assert identifies_itself("do you think i am a robot ? well , i am a robot .")
    assert not identifies_itself("")


def lines(part):
    with LINES.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["part"] == part]
    return [row["text"] for row in rows if row["says"] == "yes"], [row["text"] for row in rows if row["says"] == "no"]


@pytest.mark.parametrize(("part", "count"), [("development", 250), ("held-out", 160)])
def test_nearly_all_that_is_said_is_heard_and_hardly_anything_else(part, count):
    says, says_not = lines(part)
    assert len(says) + len(says_not) >= count
    assert min(len(says), len(says_not)) > 0.4 * count
    heard = sum(map(identifies_itself, says))
    misheard = [text for text in says_not if identifies_itself(text)]
    assert heard >= 0.97 * len(says)
    assert heard / (heard + len(misheard)) >= 0.97, misheard


def test_no_one_in_a_thousand_turns_of_people_is_taken_for_a_machines():
    from parlai_spotbot.tasks.chitchat import data

    said = [text for chat in data.conversations("humans") for text in chat.turns][:4000]
    assert len(said) >= 2000
    assert sum(map(identifies_itself, said)) <= 0.001 * len(said)


def test_no_one_in_a_thousand_turns_of_people_of_the_papers_data_either():
    from parlai_spotbot.importers.spotbot2020_dump import read_dump

    dump = released_data(SPOT_THE_BOT)
    told = [c for domain in ("convai2", "dailydialog", "empathetic") for c in read_dump(dump, domain).conversations]
    said = [turn.text for conversation in told for turn in conversation.turns if turn.speaker == HUMAN]
    assert len(said) >= 5000
    assert sum(map(identifies_itself, said)) <= 0.001 * len(said)


def test_a_contestants_own_name_gives_it_away():
    assert identifies_itself("Hi, my name is Zorbot.", "zorbot-7b")
    assert identifies_itself("call me zorbot-7b !", "zorbot-7b")
    assert identifies_itself("Ich heiße Zorbot", "zorbot-7b")
    assert not identifies_itself("Hi, my name is Zorbot.")
    assert not identifies_itself("Hi, my name is Zorba.", "zorbot-7b")
    assert not identifies_itself("My name is Al.", "al")  # two letters are a person's as well
    assert not identifies_itself("I talked to zorbot", "zorbot-7b")
    assert not identifies_itself("my name is human", HUMAN)
