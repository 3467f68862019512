"""What is asked side by side: results in order, the first failure, and so many at a time."""

import time
from functools import partial
from threading import Lock, Thread

import pytest
from groundwalk.agent.errors import ServiceError, UnavailableError
from groundwalk.agent.kg.stores.sparql.beside import MOST_AT_ONCE, side_by_side, turn
from groundwalk.agent.services import Circuit


def test_results_come_in_order_and_few_requests_are_under_way_at_a_time() -> None:
    under_way, most, lock = 0, 0, Lock()

    def ask(number: int) -> int:
        nonlocal under_way, most
        with turn():
            with lock:
                under_way += 1
                most = max(most, under_way)
            time.sleep(0.005)
            with lock:
                under_way -= 1
        return number

    def nested(number: int) -> list[int]:
        return side_by_side(*(partial(ask, 10 * number + n) for n in range(4)))

    results = side_by_side(*(partial(nested, number) for number in range(6)))
    assert results == [[10 * number + n for n in range(4)] for number in range(6)]
    assert 1 < most <= MOST_AT_ONCE


def test_the_first_failure_is_raised() -> None:
    def fail(text: str) -> None:
        raise ValueError(text)

    with pytest.raises(ValueError, match="one"):
        side_by_side(partial(time.sleep, 0), partial(fail, "one"), partial(time.sleep, 0))


def test_one_failure_does_not_lose_the_others() -> None:
    done = list[int]()

    def ask(number: int) -> None:
        if number == 0:
            raise ServiceError("one batch")
        done.append(number)

    with pytest.raises(ServiceError, match="one batch"):
        side_by_side(*(partial(ask, number) for number in range(20)))
    assert sorted(done) == [*range(1, 20)]


def test_of_a_service_that_is_down_nothing_more_is_asked() -> None:
    begun = list[int]()

    def ask(number: int) -> None:
        begun.append(number)
        raise UnavailableError("down")

    with pytest.raises(UnavailableError, match="down"):
        side_by_side(*(partial(ask, number) for number in range(50)))
    assert len(begun) <= 2 * MOST_AT_ONCE


def test_after_an_interrupt_nothing_more_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, lock = list[int](), Lock()

    def ask(number: int) -> None:
        with lock:
            begun.append(number)
        time.sleep(0.05)

    def interrupted(_: Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Thread, "join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        side_by_side(*(partial(ask, number) for number in range(200)))
    time.sleep(0.3)
    assert len(begun) <= 2 * MOST_AT_ONCE


def test_what_fails_at_the_same_time_is_one_failure_of_the_service() -> None:
    circuit = Circuit(60)

    def ask() -> None:
        with turn(), circuit.passing():
            time.sleep(0.05)
            raise UnavailableError("down")

    for _ in range(2):
        with pytest.raises(UnavailableError, match="^down$"):
            side_by_side(ask, ask, ask, ask)
    with pytest.raises(UnavailableError, match="^down$"):
        ask()
    with pytest.raises(UnavailableError, match="after 3 failures in a row"):
        ask()
