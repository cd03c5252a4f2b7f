"""A scripted person chats with two contestants over HTTP, by the rules and against them."""

from tests.crowdsourcing.office import Clock

TEXT = "hello there"


def test_two_chats_their_ratings_and_the_comparison(company, parlour):
    place = parlour(company)
    person = place.person("ann")
    unit = person.begin()
    steps = [item["step"] for item in unit["items"]]
    assert steps == ["chatting", "locked", "locked"]
    assert person.session["survey"]["chat"] == {"messages": 4, "most_messages": 8, "message_length": 1000}
    assert person.refused("rate", person.rating(0)) == (409, "chat_short")
    turns = person.chat(0, 4)
    assert [turn["entity"] for turn in turns] == [0, 1, 0, 1]
    assert turns[1]["text"] == "turn 1 after what do you think of number 0 ?"
    assert turns[3]["text"] == "turn 2 after what do you think of number 2 ?"
    assert person.refused("say", {"unit": unit["unit"], "item": 1, "number": 0, "text": TEXT}) == (409, "chat_over")
    person.rate(0)
    assert person.unit["items"][0]["rated"] == dict.fromkeys(unit["items"][0]["questions"], "4")
    assert person.refused("submit", person.submission()) == (422, "incomplete")
    person.chat(1, 8)
    assert person.look()["items"][1]["step"] == "rating"  # no more can be said
    assert person.poll(1)["chat"]["next"] is None
    person.rate(1)
    assert [len(shown["turns"]) for shown in person.unit["items"][2]["transcripts"]] == [4, 8]
    session = person.ok("submit", person.submission())
    assert session["accepted"]
    assert session["progress"]["done"] == 1
    assert len(place.crowd.done) == 1
    record = next(iter(place.crowd.done.values()))
    assert [len(item["conversation_ids"]) for item in record["items"]] == [1, 1, 2]
    assert [item["exchanges"] for item in record["items"]] == [2, 4, 4]


def test_what_is_sent_twice_counts_once(company, parlour):
    person = parlour(company).person("ann")
    unit = person.begin()["unit"]
    first = {"unit": unit, "item": 0, "number": 0, "text": "  hello \n there\x07 "}
    said = person.ok("say", first)
    assert said["turns"][0] == {"entity": 0, "text": TEXT}
    person.wait(0)
    assert person.ok("say", first)["turns"][0] == {"entity": 0, "text": TEXT}
    assert person.refused("say", {**first, "text": "something else"}) == (409, "said")
    assert len(person.poll(0)["turns"]) == 2
    person.chat(0, 4)
    rating = person.rating(0)
    assert person.ok("rate", rating)["state"] == person.ok("rate", rating)["state"] == "working"
    other = {**rating, "seconds": 21.0}
    assert person.refused("rate", other) == (409, "rated")
    person.chat(1, 4)
    person.look()
    person.rate(1)
    body = person.submission()
    assert person.ok("submit", body)["accepted"]
    assert person.ok("submit", body)["accepted"]
    assert person.refused("say", {**first, "number": 4}) == (409, "doubled")


def test_nobody_speaks_out_of_turn(company, parlour):
    person = parlour(company).person("ann")
    unit = person.begin()["unit"]

    def say(number, text, item=0):
        return {"unit": unit, "item": item, "number": number, "text": text}

    assert person.refused("say", say(2, TEXT)) == (409, "not_next")
    person.ok("say", say(0, "sleep 0.5"))
    assert person.refused("say", say(2, TEXT)) == (409, "answer_due")
    assert person.poll(0)["chat"]["partner"] == "typing"
    person.wait(0)
    for body in (say(1, TEXT), say(2, 7), say("2", TEXT), say(True, TEXT), say(2, TEXT, item=2), say(2, TEXT, item=-1)):
        assert person.refused("say", body) == (400, "malformed")
    assert person.refused("say", say(2, " \n ")) == (422, "empty")
    assert person.refused("say", say(2, "x" * 1001)) == (422, "too_long")
    person.ok("say", say(2, " " + "x" * 1000))


def test_forged_requests_for_the_chat_of_somebody_else(company, parlour):
    place = parlour(company)
    ann, bob = place.person("ann"), place.person("bob")
    mine, other = ann.begin()["unit"], bob.begin()["unit"]
    assert mine != other
    body = {"unit": mine, "item": 0, "number": 0, "text": TEXT, "have": 0}
    for name in ("say", "chat", "leave"):
        assert bob.refused(name, body) == (403, "foreign")
    assert bob.refused("rate", {**ann.rating(0), "unit": mine}) == (403, "foreign")
    assert bob.refused("say", {**body, "unit": "0" * 32}) == (404, "unknown")
    assert ann.poll(0)["turns"] == []
    ann.token = ""
    assert ann.refused("say", body)[0] == 401


def test_an_answer_is_shown_when_it_could_have_been_typed(company, parlour):
    clock = Clock()
    place = parlour(company, clock=clock, rules={"answer_delay": True, "longest_delay": 2.0})
    person = place.person("ann")
    person.begin()
    person.say(0, TEXT)
    chat = place.server.intake.call(place.ledger.chats)[0].chat_id
    while len(turns := place.server.intake.call(place.ledger.turns, chat)) < 2:
        person.poll(0)
    assert 0.3 < turns[1].shown_at - turns[0].said_at <= 2.0
    answer = person.poll(0)
    assert (answer["chat"]["partner"], len(answer["turns"])) == ("typing", 1)
    assert person.refused("say", {"unit": person.unit["unit"], "item": 0, "number": 2, "text": TEXT})[1] == "answer_due"
    clock.now = turns[1].shown_at - 0.01
    assert len(person.poll(0)["turns"]) == 1
    clock.now = turns[1].shown_at
    assert len(person.poll(0)["turns"]) == 2
    assert person.poll(0)["chat"]["next"] == 2


def test_no_answer_of_the_server_tells_who_the_partners_are(company, parlour, tmp_path):
    place = parlour(company)
    person = place.person("ann")
    person.begin()
    where = place.place_of(person, "zzobedient")
    for item in (0, 1):
        if item == where:
            person.say(item, f"mute {tmp_path / 'marker'}")  # fails once, then answers
            person.wait(item)
        person.chat(item, 4)
        person.rate(item)
    person.ok("submit", person.submission())
    heard = person.seen
    units = place.study.units("interactive")
    secret = [b"zzcalm", b"zzobedient", b"obedient", b"chat-", b"contestant", b"seed", b"empty turn", b"exchanges"]
    secret += [word.encode() for unit in units for word in (unit.unit_id, *(item.item_id for item in unit.items))]
    assert [word for word in secret if word in heard.replace(str(tmp_path).encode(), b"")] == []
