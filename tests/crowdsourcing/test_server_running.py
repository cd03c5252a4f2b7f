"""The server with many and slow clients; how it begins and ends."""

import socket
import threading
import time

import pytest

from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.server import request_queue as intake
from parlai_spotbot.crowdsourcing.server.page_server import listen
from parlai_spotbot.errors import UserError
from tests.crowdsourcing.asking import SECRET, RecordingDesk, api, server_of, token_of


def threads_left():
    return [thread for thread in threading.enumerate() if thread.name.startswith(("server", "desk", "door"))]


# -- many and slow clients ---------------------------------------------------------------------------------------------
def test_idle_and_slow_clients_do_not_hold_up_others(served):
    slow = []
    try:
        for number in range(300):
            connection = socket.create_connection(("127.0.0.1", served.port), timeout=10)
            if number % 3:  # some send nothing, some half a header, some half a body
                part = b"POST /api/submit HTTP/1.1\r\nHost: a\r\n"
                connection.sendall(part if number % 3 == 1 else part + b"Content-Length: 1000\r\n\r\n{")
            slow.append(connection)
        assert api(served, "session", token=token_of("ann"))[0] == 200
    finally:
        for connection in slow:
            connection.close()


def test_one_annotator_s_flood_leaves_room_for_others(served):
    served.desk.gate.clear()
    statuses = []
    flood = [
        threading.Thread(target=lambda: statuses.append(api(served, "unit", {}, token_of("eve"))[0])) for _ in range(40)
    ]
    for thread in flood:
        thread.start()
    while len(statuses) < 40 - 16:
        time.sleep(0.01)
    other = threading.Thread(target=lambda: statuses.append(api(served, "unit", {}, token_of("ann"))[0]))
    other.start()
    served.desk.gate.set()
    for thread in [*flood, other]:
        thread.join()
    assert sorted(statuses) == [200] * 17 + [503] * 24


def test_a_crowd_at_a_slow_door_leaves_room_for_those_inside(page, monkeypatch):
    """Where MTurk took its time, whoever asked to come in took the places of those who handed in."""
    monkeypatch.setattr(intake, "MOST_AT_THE_DOOR", 10)
    monkeypatch.setattr(intake, "MOST_WAITING_IN_ALL", 20)
    asked = threading.Event()

    class SlowDoor(InHouseDoor):
        waits = True

        def enter(self, query):
            asked.wait(20)
            return super().enter(query)

    statuses = []
    with server_of(RecordingDesk(), page, SlowDoor(SECRET)) as server:

        def come_in(number):
            statuses.append(api(server, "enter", {"query": {"t": f"made up {number}"}})[0])

        crowd = [threading.Thread(target=come_in, args=(number,)) for number in range(30)]
        for thread in crowd:
            thread.start()
        while len(statuses) < 20 or server.intake._waiting.total() < 10:
            time.sleep(0.01)
        assert api(server, "unit", {}, token_of("ann"))[0] == 200
        asked.set()
        for thread in crowd:
            thread.join()
    assert sorted(statuses) == [403] * 10 + [503] * 20


# -- beginning and end -------------------------------------------------------------------------------------------------
def test_it_listens_on_the_loopback_address_alone(served):
    assert served.url == f"http://127.0.0.1:{served.port}"
    for address in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}:
        if not address.startswith("127."):
            with pytest.raises(OSError, match=r".*"):
                socket.create_connection((address, served.port), timeout=2)


def test_a_taken_port_is_named_and_a_preferred_one_given_up(served):
    with pytest.raises(UserError, match=f"--port {served.port}: taken by another program"):
        listen("127.0.0.1", served.port)
    with pytest.raises(UserError, match="expected a number from 0 to 65535"):
        listen("127.0.0.1", 65536)
    with pytest.raises(UserError, match="Name an address of this machine"):
        listen("192.0.2.1", 0)
    sockets = listen("127.0.0.1", 0, prefer=served.port)
    assert sockets[0].getsockname()[1] != served.port
    sockets[0].close()


def test_stopping_answers_running_requests_and_ends_the_threads(served):
    served.desk.gate.clear()
    answers = []
    client = threading.Thread(target=lambda: answers.append(api(served, "submit", {"unit": "u"}, token_of("ann"))))
    client.start()
    while not served.intake.running:
        time.sleep(0.01)
    threading.Timer(0.3, served.desk.gate.set).start()
    served.stop()
    client.join()
    assert answers[0][0] == 200
    assert not threads_left()
    with pytest.raises(OSError, match=r".*"):
        socket.create_connection(("127.0.0.1", served.port), timeout=2)
    served.stop()  # twice is fine


def test_it_is_finished_when_every_unit_is_done_and_errors_of_the_clockwork_go_by(served, tmp_path, monkeypatch):
    def broken():
        raise RuntimeError("no time")

    log = tmp_path / "server.log"
    with monkeypatch.context() as patch:
        patch.setattr(served.desk, "expire", broken, raising=False)
        while not log.exists() or "error in expire: RuntimeError" not in log.read_text():
            time.sleep(0.02)
    assert not served.finished()
    assert served.failed() is None
    served.desk.done = 2
    while not served.finished():
        time.sleep(0.01)
    assert served.counts["done"] == 2
    served.desk.waited_at = time.time()  # a page that was told to wait asks again
    assert not served.finished()


def test_backups_are_made_at_the_beginning_and_at_the_end(page):
    made = []
    with server_of(RecordingDesk(), page, back_up=lambda: made.append(time.time())) as server:
        while not made:
            time.sleep(0.01)
        server.stop()
        assert len(made) == 2
