"""Asking a chat model: what counts of its reply."""

import pytest
from groundwalk.agent.llm.asking import Asker
from langchain_core.language_models import FakeListChatModel


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
