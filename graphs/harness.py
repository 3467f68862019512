"""What every method does alike: it is timed, counted and told here, around its search."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import perf_counter
from typing import TypeVar

from langgraph.runtime import Runtime

from ..agent.answers.question import (
    Conclusion,
    Outcome,
    accounted,
    concluded,
    question_in,
)
from ..agent.errors import NoPathError
from ..agent.llm.asking import needed
from ..agent.nodes import Node
from ..agent.options import Options
from ..agent.records import summed
from ..agent.state import State
from .ground import Ground, Parts, Shared
from .method import Method, run_loop

Start = TypeVar("Start")
Reached = TypeVar("Reached")


def method_node(name: str, method: Method, parts: Parts) -> Node:
    """The node of a method in the state machine.

    It opens the ground of the question, runs the search, and puts the outcome into the state with
    the cost, the notes and what views of the KG left out. Where no path leaves the topic entities
    that is a note. Raises InputError for a method that needs a chat LLM where there is none.
    """
    if method.needs_llm:
        needed(parts.llm, name)
    shared, loop = Shared(parts), method.loop and method.loop()
    drawn = loop and loop.graph

    def run(state: State, runtime: Runtime[Options]) -> State:
        since = perf_counter()
        question = question_in(state, runtime.context or Options())
        ground = Ground(question, shared, runtime.stream_writer)
        try:
            if loop and drawn:  # LangGraph finds the graph that it draws among these names
                outcome = run_loop(loop, question, ground)
            else:
                assert method.search is not None, f"{name} has neither a search nor a loop"
                outcome = method.search(question, ground)
        except NoPathError as error:
            outcome = Outcome(conclusion=Conclusion(), notes=[error.message])
        changes: State = {"candidates": list(outcome.candidates), "lost": outcome.lost}
        if method.reasons:
            changes |= concluded(state, outcome.conclusion or Conclusion())
        cuts = ground.cut_notes(facts=method.answers_from_facts)
        cost = summed(outcome.cost, {"kg_requests": ground.requests})
        return {**changes, **accounted(state, replace(outcome, cost=cost), since, cuts)}

    return run


def from_each(starts: Iterable[Start], search: Callable[[Start], Reached]) -> list[Reached]:
    """What a search from each start alone reaches, for those that lead anywhere.

    One topic entity with many ends would crowd out the others. Raises NoPathError where none leads
    anywhere.
    """
    reached, missed = list[Reached](), list[NoPathError]()
    for start in starts:
        try:
            reached.append(search(start))
        except NoPathError as error:
            missed.append(error)
    if missed and not reached:
        raise missed[0]
    return reached
