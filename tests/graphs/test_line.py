"""Questions that wait for their turn."""

import asyncio
import threading
from collections.abc import Iterator
from time import sleep

import pytest
from groundwalk.agent.errors import ShortageError
from groundwalk.agent.options import Options
from groundwalk.graphs import build_graph
from groundwalk.graphs.line import Line
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("at_once", [1, 3])
def test_first_come_first_served_in_threads_and_loops(at_once: int) -> None:
    line, served, present, most = Line(at_once), list[int](), list[int](), list[int]()

    async def asks(number: int) -> None:
        async with line.turn_async():
            served.append(number)
            present.append(number)
            most.append(len(present))
            await asyncio.sleep(0.002)
            present.remove(number)

    async def all_ask() -> None:
        await asyncio.gather(*map(asks, range(20)))

    asyncio.run(all_ask())
    assert served == list(range(20)) and max(most) == at_once


def test_threads_wait_in_the_same_line() -> None:
    line, served = Line(1), list[int]()

    def asks(number: int) -> None:
        with line.turn():
            served.append(number)

    threads = [threading.Thread(target=asks, args=(number,)) for number in range(5)]
    with line.turn():
        for number, thread in enumerate(threads):
            thread.start()
            while len(line._waiting) <= number:  # pyright: ignore[reportPrivateUsage]
                sleep(0.001)
        assert served == []
    for thread in threads:
        thread.join()
    assert served == list(range(5))


def test_a_line_that_is_full_turns_away() -> None:
    line = Line(1, most_waiting=0)
    with line.turn():
        with pytest.raises(ShortageError, match="0 questions are waiting already"), line.turn():
            pass
    with line.turn():
        pass


@settings(max_examples=30, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_who_gives_up_holds_nobody_up(gives_up: list[bool]) -> None:
    line, served = Line(1), list[int]()

    async def asks(number: int) -> None:
        async with line.turn_async():
            served.append(number)

    async def run() -> None:
        async with line.turn_async():
            waiting = [asyncio.create_task(asks(number)) for number, _ in enumerate(gives_up)]
            await asyncio.sleep(0)
            for task, leaves in zip(waiting, gives_up, strict=True):
                if leaves:
                    task.cancel()
            await asyncio.sleep(0)
        await asyncio.gather(*waiting, return_exceptions=True)
        async with line.turn_async():
            served.append(-1)

    asyncio.run(asyncio.wait_for(run(), 5))
    assert served == [*(n for n, leaves in enumerate(gives_up) if not leaves), -1]


@pytest.fixture(scope="module")
def answers() -> Iterator[list[str]]:
    graph = build_graph().warm()
    questions = ["What is the capital of Kenya?", "What is the capital of Peru?"] * 4

    async def ask_all() -> list[str]:
        context = Options(on_ambiguous="best")
        runs = [graph.ainvoke({"question": q}, context=context) for q in questions]
        states = await asyncio.gather(*runs)
        return [state["answers"][0]["label"] for state in states]

    yield asyncio.run(ask_all())


def test_callers_beside_one_another_get_their_own_answers(answers: list[str]) -> None:
    assert answers == ["Nairobi", "Lima"] * 4
