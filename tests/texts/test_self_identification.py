"""Sentences by which a speaker says to be a machine, and sentences that merely look like it."""

import pytest

from parlai_spotbot.texts.self_identification import identifies_itself

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
