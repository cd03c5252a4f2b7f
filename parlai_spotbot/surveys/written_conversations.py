"""Conversations written for the examples and exercises of the surveys that show whole ones, in their surface form.

In each, one speaker is to be judged; of the good ones hardly anyone would say that they are bad, and the other way
round. They come in pairs of a good and a weak one, so that every survey can make its own questions of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.surveys.survey import Exercise

Key = tuple[tuple[str, str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class WrittenConversation:
    """A conversation of two, entity 0 first, of whom `judged` is judged."""

    judged: int
    said: tuple[str, ...]

    @property
    def turns(self) -> tuple[tuple[int, str], ...]:
        return tuple((number % 2, text) for number, text in enumerate(self.said))

    @property
    def judged_turns(self) -> tuple[int, ...]:
        """The numbers of the judged speaker's turns."""
        return tuple(range(self.judged, len(self.said), 2))


def alone(talk: WrittenConversation, key: Key, explanation: str) -> Exercise:
    """An exercise on one conversation."""
    return Exercise(talk.turns, key, explanation, judged=(talk.judged,))


def beside(first: WrittenConversation, second: WrittenConversation, key: Key, explanation: str) -> Exercise:
    """An exercise on two conversations side by side."""
    return Exercise(first.turns, key, explanation, second.turns, (first.judged, second.judged))


POOL = WrittenConversation(
    1,
    (
        "is there a swimming pool anywhere near you",
        "there is, behind the town hall, but it's closed until they have mended the roof. are you training "
        "for something",
        "a short triathlon in june, if my knee holds",
        "then swimming is the right thing to do. i used to go to the lake when the pool was shut, it's free "
        "before eight",
    ),
)
FILMS = WrittenConversation(
    1,
    (
        "have you seen any good films lately",
        "yes. have you seen any good films",
        "i saw one about a lighthouse keeper, very slow but beautiful",
        "i see. i like films. have you seen any good films",
    ),
)

BICYCLE = WrittenConversation(
    1,
    (
        "i finally got round to mending my old bicycle this weekend",
        "oh nice, was it the gears again or something worse this time",
        "the chain. it had rusted so badly that i had to cut it off",
        "ouch. did you get a new one at the market, or did you order it",
        "ordered it, and of course it was one link too short",
        "ha, bad luck. they usually sell single links though, so you may not have to send it back",
    ),
)
BEES = WrittenConversation(
    1,
    (
        "my daughter wants to keep bees on our roof, can you imagine",
        "i can, my uncle did it for years. is the roof flat, though? the hives have to stand level",
        "flat enough. i'm more worried about the people below us",
        "they'll hardly notice, bees fly up and away. and a jar of honey in autumn did wonders for my "
        "uncle's neighbours",
        "that's a good idea, thank you. did anyone ever get stung",
        "only my uncle, and only when he was in a hurry",
    ),
)
EXAM = WrittenConversation(
    0,
    (
        "how did your exam go? you were up all night for it",
        "i failed it. three points short",
        "three points, oh no. that's bitter after all the work you put in. can you take it again",
        "in march, but i don't know if i have it in me",
        "give it a week before you decide. you knew nearly everything, so the hard part is done already",
        "thanks, that does help a bit",
    ),
)
KETTLE = WrittenConversation(
    1,
    (
        "our office kettle died this morning, right before the meeting",
        "oh dear. so everyone had to sit through the budget without tea",
        "exactly, and it's two hours every time",
        "you could have heated water in the microwave, we did that for a month when ours broke",
        "really? doesn't that taste odd",
        "a little, but after the second slide nobody cared",
    ),
)
FLAT = WrittenConversation(
    0,
    (
        "so which of the two flats did you take in the end",
        "the small one by the canal, the other was too loud",
        "good choice, the trams there would have driven you mad. is there room for the piano",
        "just about, if i sleep under it",
        "ha, then at least you'll never be late for practice. shall i bring my van on saturday",
        "that would be wonderful, i'll pay for the petrol",
    ),
)
BREAD = WrittenConversation(
    1,
    (
        "i tried to bake my first bread and it came out like a brick",
        "did it rise at all before it went in? mine was like that until i gave it a whole night",
        "i left it for twenty minutes, the packet said so",
        "that's for the quick yeast, i think. the other kind needs hours in a warm place",
        "ah, then i bought the wrong one. what do i do with the brick",
        "slice it thin and toast it with oil. nobody will know it wasn't on purpose",
    ),
)

LOOPS = WrittenConversation(
    1,
    (
        "i finally booked the trip to the mountains i told you about",
        "i like to read books. what do you do for fun",
        "well, hiking, that's why i booked it. have you ever been up there",
        "i like to read books. what do you do for fun",
        "you asked that already. do you read about mountains at least",
        "i like to read books. what do you do for fun",
    ),
)
DULL = WrittenConversation(
    1,
    (
        "my neighbours are having a party in the garden and the music is awful",
        "that is nice",
        "not really, i have to be up at five for the early shift",
        "that is nice. do you work",
        "yes, i just said so. at the airport, i drive the luggage carts",
        "ok. that is nice",
    ),
)
CONTRADICTS = WrittenConversation(
    1,
    (
        "do you have any brothers or sisters",
        "yes, i have two brothers and we all live in spain",
        "oh, what's the weather like over there at the moment",
        "i do not know, i have never been to spain. my only brother told me about it",
        "wait, you said you live there, and that there are two of them",
        "i have no brothers. i live in spain with my two brothers",
    ),
)
UNFEELING = WrittenConversation(
    1,
    (
        "i didn't get the job after all. i'm quite down about it",
        "great, congratulations. i love to swim",
        "no, i mean they turned me down",
        "that sounds like fun. where do you like to swim",
        "i don't feel like talking about swimming now",
        "swimming is my favorite. happy to hear you are doing well",
    ),
)
STUCK = WrittenConversation(
    0,
    (
        "sorry, can you say that in other words",
        "i asked if you know a good place to eat near the station",
        "sorry, can you say that in other words",
        "food. near the station. anything you would recommend",
        "sorry, can you say that in other words",
        "never mind, i'll look it up",
    ),
)
NONSENSE = WrittenConversation(
    1,
    (
        "what time does the last bus leave from here",
        "the last bus is a green apple, because it rains in the morning",
        "i'm sorry, what do you mean",
        "i mean that the time is not a bus. do you like my green",
        "i just need to get home. is it eleven or half past",
        "yes, eleven is my favorite bus, it tastes of rain",
    ),
)
