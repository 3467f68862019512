"""Asking a chat model: what counts of its reply."""

from typing import Any

import pytest
from groundwalk.agent.llm.asking import Asker
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
