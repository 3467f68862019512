"""Questions that wait for their turn."""

import asyncio
import pickle
import threading
from collections.abc import Iterator
from time import sleep
from typing import Any

import pytest
from groundwalk.agent.errors import BusyError, InputError
from groundwalk.agent.linking import Mention
from groundwalk.agent.options import Options
from groundwalk.agent.stopping import look_up
from groundwalk.graphs import build_graph
from groundwalk.graphs.line import Line
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver


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
        with pytest.raises(BusyError, match="0 questions are waiting already"), line.turn():
            pass
    with line.turn():
        pass


def test_a_line_says_how_long_it_is_and_how_long_it_takes() -> None:
    line = Line(1, most_waiting=1)

    async def run() -> BusyError:
        async with line.turn_async():
            await asyncio.sleep(0.02)
        assert (line.answering, line.waiting, line.seconds) == (0, 0, 0.0)
        async with line.turn_async():
            alone = line.seconds
            waiting = asyncio.create_task(line.in_thread(lambda: None))
            await asyncio.sleep(0)
            assert (line.answering, line.waiting) == (1, 1)
            assert 0.02 <= alone == line.seconds / 2
            with pytest.raises(BusyError) as full:
                await line.in_thread(lambda: None)
        await waiting
        return full.value

    error = asyncio.run(run())
    assert error.seconds >= 0.04 and error.code == "busy"
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.seconds) == (error.message, error.seconds)


def test_who_gives_up_while_the_turn_passes_leaves_no_turn_behind() -> None:
    line = Line(1)
    held, given_up = line._enter(), line._enter()  # pyright: ignore[reportPrivateUsage]
    given_up.cancel()
    line._leave(held)  # pyright: ignore[reportPrivateUsage]
    line._leave(given_up)  # pyright: ignore[reportPrivateUsage]
    assert line.answering == 0
    with line.turn():
        assert line.answering == 1


def test_work_that_nobody_waits_for_ends_where_it_looks_up_and_holds_its_turn_until_then() -> None:
    line, begun, goes_on = Line(1), threading.Event(), threading.Event()
    done = list[str]()

    def work() -> None:
        begun.set()
        goes_on.wait(5)
        look_up()
        done.append("all of it")

    async def run() -> None:
        cancelled = asyncio.create_task(line.in_thread(work))
        await asyncio.to_thread(begun.wait, 5)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        following = asyncio.create_task(line.in_thread(lambda: done.append("the next")))
        await asyncio.sleep(0.01)
        assert not done and line.answering == line.waiting == 1
        goes_on.set()
        await following

    asyncio.run(run())
    assert done == ["the next"] and line.answering == 0


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


class SlowLinker:
    """Waits until it may go on, and counts how often it was asked."""

    def __init__(self) -> None:
        self.begun, self.goes_on, self.calls = threading.Event(), threading.Event(), 0

    def link(self, question: str) -> list[Mention]:
        self.calls += 1
        self.begun.set()
        self.goes_on.wait(5)
        return []


def test_a_question_that_is_cancelled_ends_after_its_step() -> None:
    linker = SlowLinker()
    graph = build_graph("plan", linker=linker, most_waiting=0)

    async def run() -> None:
        asked = asyncio.create_task(graph.ainvoke({"question": "What is the capital of Kenya?"}))
        await asyncio.to_thread(linker.begun.wait, 10)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        with pytest.raises(BusyError):
            await graph.ainvoke({"question": "What is the capital of Peru?"})
        linker.goes_on.set()
        while graph.line.answering:
            await asyncio.sleep(0.005)

    asyncio.run(run())
    assert linker.calls == 1


def test_the_thread_of_a_question_that_was_cancelled_goes_on() -> None:
    graph = build_graph(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}

    async def run() -> str:
        await graph.ainvoke({"question": "What is the capital of Kenya?"}, thread)
        for seconds in (0.001, 0.01):
            asked = graph.ainvoke({"question": "How many countries border Chad?"}, thread)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(seconds):
                    await asked
        state = await graph.ainvoke({"question": "and its currency?"}, thread)
        return state["answers"][0]["label"]

    assert asyncio.run(run()) == "Kenyan shilling"


def test_the_questions_of_one_caller_do_not_fill_the_line() -> None:
    graph = build_graph(most_waiting=0)
    asked: Any = [{"question": f"What is the capital of {c}?"} for c in ("Kenya", "Peru", "Chad")]
    states = asyncio.run(graph.abatch(asked))
    assert [state["answers"][0]["label"] for state in states] == ["Nairobi", "Lima", "N'Djamena"]


def test_a_line_of_no_length_is_refused() -> None:
    with pytest.raises(InputError, match="most_waiting cannot be -1"):
        build_graph(most_waiting=-1)


def test_who_waits_is_not_told_of_what_the_first_turn_loaded() -> None:
    line, seconds = Line(1), list[float]()
    for duration in (0.2, 0.001, 0.001):
        with line.turn():
            sleep(duration)
        with line.turn():
            seconds.append(line.seconds)
            sleep(0.001)
    assert seconds[0] >= 0.2 > 0.1 > max(seconds[1:])
