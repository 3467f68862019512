"""Asking a chat model: what counts of its reply."""

from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.llm.asking import Asker, UnansweredError, needed, with_reply_notes
from langchain_core.language_models import FakeListChatModel, FakeMessagesListChatModel
from langchain_core.messages import AIMessage


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>Rome?\nAnswer: Rome</think>\nOslo", "\nOslo"),
        ("Rome?</think>Oslo", "Oslo"),
        (f"<think>{'Rome ' * 10_000}</think>Oslo", "Oslo"),
        ("<think>Rome, because", ""),
        ("Oslo", "Oslo"),
    ],
)
def test_thoughts_are_no_part_of_a_reply(reply: str, text: str) -> None:
    assert Asker(FakeListChatModel(responses=[reply])).ask("Where?") == text


def test_tokens_are_counted_where_the_client_tells_them() -> None:
    told: Any = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    nothing: Any = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    silent, blank = AIMessage("Oslo"), AIMessage("Oslo", usage_metadata=nothing)
    replies = [AIMessage("Oslo", usage_metadata=told)] * 2
    asker = Asker(FakeMessagesListChatModel(responses=[*replies, silent, blank]))
    for _ in range(4):
        asker.ask("Where?")
    cost = asker.cost
    assert (cost["prompt_tokens"], cost["tokens"]) == (14, 6)
    assert (cost["llm_calls"], cost["llm_uncounted"]) == (4, 2)


def test_a_name_that_looks_numbered_is_read_whole_where_it_is_known() -> None:
    asker = Asker(FakeListChatModel(responses=["1. FC Köln\n2. Oslo"]))
    assert asker.names("Who?", ["1. FC Köln", "FC Köln", "Oslo"]) == ["1. FC Köln", "Oslo"]
    assert asker.names("Who?", ["FC Köln"]) == ["FC Köln", "Oslo"]


@pytest.mark.parametrize(
    ("reply", "shortened"),
    [
        (AIMessage("Czech", response_metadata={"finish_reason": "length"}), 1),
        (AIMessage("Czech", response_metadata={"stop_reason": "max_tokens"}), 1),
        (AIMessage("Czech", response_metadata={"finish_reason": "MAX_TOKENS"}), 1),
        (AIMessage("Czechia, " * 10_000), 1),
        (AIMessage("Czechia", response_metadata={"finish_reason": "stop"}), 0),
        (AIMessage(f"<think>{'Rome ' * 10_000}</think>Oslo"), 0),
    ],
)
def test_a_reply_that_is_not_whole_is_told(reply: AIMessage, shortened: int) -> None:
    asker = Asker(FakeMessagesListChatModel(responses=[reply]))
    assert len(asker.ask("Where?")) <= 20_000 and asker.shortened == shortened
    assert asker.add_notes([]) == ["1 reply ended early, at a limit of length"] * shortened


def test_replies_are_added_to_those_told_before() -> None:
    assert with_reply_notes(["a"], unread=0) == ["a"]
    notes = with_reply_notes(["1 reply could not be read", "a"], unread=1, shortened=2)
    assert notes == [
        "a",
        "2 replies could not be read",
        "2 replies ended early, at a limit of length",
    ]


class _Broken(FakeListChatModel):
    """Raises as clients do over a reply of another shape."""

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        return [][0]


def test_a_client_that_breaks_over_what_came_is_told_in_words() -> None:
    asker = Asker(_Broken(responses=["Oslo"]))
    with pytest.raises(UnansweredError, match="^what came is no chat reply$"):
        asker.ask("Where?")
    assert asker.tried("Where?", str) is None and asker.cost["llm_calls"] == 1
    assert asker.add_notes(["a"]) == ["a", "what came is no chat reply: the LLM did not answer"]


def test_a_method_may_need_a_chat_model() -> None:
    llm = FakeListChatModel(responses=["Oslo"])
    assert needed(llm, "guess") is llm
    with pytest.raises(InputError, match="^guess needs a chat LLM$"):
        needed(None, "guess")
