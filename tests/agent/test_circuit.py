"""A circuit, with a clock of our own."""

from contextlib import AbstractContextManager

import pytest
from groundwalk.agent.errors import ServiceError, UnavailableError
from groundwalk.agent.services import Circuit, asked_to_wait
from hypothesis import given
from hypothesis import strategies as st


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    own = Clock()
    monkeypatch.setattr("groundwalk.agent.services.time", own)
    return own


def fail(circuit: Circuit, error: ServiceError) -> bool:
    """Have an exchange fail; whether it was one attempt only."""
    tries = list[bool]()
    with pytest.raises(ServiceError), circuit.passing() as trying:
        tries.append(trying)
        raise error
    return tries == [True]


def test_it_opens_after_three_failures_and_tries_once_after_each_pause(clock: Clock) -> None:
    circuit = Circuit(10.0)
    assert not any(fail(circuit, UnavailableError("it is down", "wait")) for _ in range(3))
    clock.now = 4.5
    with pytest.raises(UnavailableError) as raised, circuit.passing():
        pytest.fail("it was asked")
    assert raised.value.message == "it is down; after 3 failures in a row it is not asked for 6 s"
    assert raised.value.hint == "wait"
    clock.now = 10.0
    with circuit.passing() as trying:
        assert trying
        with pytest.raises(UnavailableError), circuit.passing():
            pytest.fail("two tried at once")
    with circuit.passing() as trying:
        assert not trying


def test_requests_that_overlap_for_ever_open_it_too(clock: Clock) -> None:
    """Two callers, each of whom waits ten seconds, five seconds apart."""
    circuit, under_way = Circuit(60.0), list[AbstractContextManager[bool]]()
    problem = UnavailableError("it hangs")
    for moment in range(0, 40, 5):
        clock.now = float(moment)
        if len(under_way) == 2:
            with pytest.raises(UnavailableError):
                under_way.pop(0).__exit__(UnavailableError, problem, None)
                raise problem
            clock.now += 0.1
        request = circuit.passing()
        try:
            request.__enter__()
        except UnavailableError as error:
            assert "after 3 failures in a row" in error.message
            return
        under_way.append(request)
    pytest.fail("it never opened")


def test_it_stays_open_where_the_one_attempt_fails(clock: Clock) -> None:
    circuit = Circuit(10.0)
    for _ in range(3):
        fail(circuit, UnavailableError("down"))
    clock.now = 20.0
    assert fail(circuit, UnavailableError("still down"))
    with pytest.raises(UnavailableError, match="^still down; after 4 "), circuit.passing():
        pytest.fail("it was asked")


def test_an_answer_of_no_use_is_one(clock: Clock) -> None:
    circuit = Circuit(10.0)
    for _ in range(5):
        assert not fail(circuit, ServiceError("no JSON"))
    for _ in range(2):
        fail(circuit, UnavailableError("down"))
    fail(circuit, ServiceError("refused"))
    for _ in range(2):
        assert not fail(circuit, UnavailableError("down"))
    with circuit.passing() as trying:
        assert not trying


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("0", 0), ("7", 7), (" 120 ", 120), ("junk", 0), ("-3", 0), ("", 0), ("1e9", 0), ("٣", 0)],
)
def test_what_a_service_asks_for(header: str, seconds: float) -> None:
    assert asked_to_wait(header) == seconds


@pytest.mark.parametrize(
    "header",
    [
        "Mon, 01 Jan 99999999999 00:00:00 GMT",
        "Mon, 99999999999999999999 Jan 2030 00:00:00",
        "Mon, 01 Jan 2030 00:00:00 -999999999999999999999999999999",
    ],
)
def test_a_date_that_is_none_asks_for_nothing(header: str) -> None:
    assert asked_to_wait(header) == 0


@given(st.text() | st.from_regex(r"Mon, \d+ Jan \d+ \d+:\d+:\d+ [+-]\d+", fullmatch=True))
def test_any_header_is_read(header: str) -> None:
    assert asked_to_wait(header) >= 0


def test_a_date_may_be_asked_for() -> None:
    assert asked_to_wait("Wed, 01 Jan 2020 00:00:00 GMT") == 0
    assert asked_to_wait("Fri, 01 Jan 2100 00:00:00 GMT") > 1e8
