"""A local model as a chat model: what it says, what it counts, and what it draws."""

from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.llm.asking import Asker, UnansweredError
from groundwalk.agent.llm.chat import chat_model, drawing
from groundwalk.agent.llm.free_text import LocalChat
from groundwalk.agent.llm.likelihood import prompt_tokens
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from ..decoding import worlds

TOKENIZER = worlds.byte_level()
TEMPLATE = (
    "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)


def random_local(tokens: int = 4096) -> LocalModel:
    model = worlds.random_model(len(TOKENIZER))
    model.config.max_position_embeddings = tokens
    return LocalModel("random", model, worlds.byte_level(), ModelSettings())


def test_it_counts_what_it_reads_and_writes() -> None:
    local = worlds.saying("<think>Rome?</think>Oslo", TOKENIZER)
    asker = Asker(LocalChat(local))
    assert asker.ask("Where?") == "Oslo"
    assert asker.cost["prompt_tokens"] == len(prompt_tokens(TOKENIZER, "Where?"))
    assert asker.cost["llm_uncounted"] == 0
    local = random_local(tokens=40)
    with worlds.taken_in(local.model) as shapes:
        asker = Asker(LocalChat(local))
        asker.ask("Where?")
    (_, read), *others = shapes
    assert (asker.prompt_tokens, asker.tokens) == (read, 1 + len(others))
    assert read + asker.tokens <= 40, "it writes no more than it can hold"


def test_messages_are_told_in_the_models_template() -> None:
    local = random_local()
    local.tokenizer.chat_template = TEMPLATE
    said = [SystemMessage("Be brief."), HumanMessage("Hi"), AIMessage("Hi!"), HumanMessage("Who?")]
    reply = LocalChat(local).invoke(said)
    text = "[system] Be brief.\n[user] Hi\n[assistant] Hi!\n[user] Who?\n[assistant] "
    assert reply.usage_metadata
    assert reply.usage_metadata["input_tokens"] == len(TOKENIZER(text)["input_ids"])


def test_it_takes_the_likeliest_tokens_or_draws_by_a_seed() -> None:
    chat = LocalChat(random_local(tokens=30))

    def said(seed: int, temperature: float = 2.0) -> str:
        drawn = drawing(chat, temperature, seed)
        assert drawn is not None
        return str(drawn.invoke("Where?").text)

    assert said(1) == said(1) and len({said(seed) for seed in range(4)}) > 1
    assert chat.invoke("Where?").text == chat.invoke("Where?").text
    assert chat.temperature == 0.0


def test_a_client_without_temperature_draws_nothing() -> None:
    assert drawing(FakeListChatModel(responses=["Oslo"]), 0.7, 0) is None


def test_what_it_cannot_hold_or_do_is_an_error() -> None:
    chat = LocalChat(random_local(tokens=5))
    with pytest.raises(UnansweredError, match="of 33 tokens is too long"):
        Asker(chat).ask("Where do the children of Ada live?")
    with pytest.raises(InputError, match="stop"):
        chat.invoke("Where?", stop=["."])


def test_a_folder_is_opened_as_one(tmp_path: Path) -> None:
    worlds.random_model(len(TOKENIZER)).save_pretrained(tmp_path)
    TOKENIZER.save_pretrained(tmp_path)
    chat = chat_model(f"hf:{tmp_path}")
    assert isinstance(chat, LocalChat)
    asker = Asker(chat)
    asker.ask("Where?")
    assert asker.prompt_tokens > 0 and 0 < asker.tokens <= 512
