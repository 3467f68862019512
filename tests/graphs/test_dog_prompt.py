"""How models are asked for chains, whatever their tokenizers have."""

from typing import Any

import pytest
from groundwalk.agent.decoding.wire import MARKERS, TRIPLE
from groundwalk.agent.errors import ConstraintError
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.graphs.dog.prompt import PLAIN, ChainPrompt
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from ..agent.decoding import worlds

TRIPLES = ["Ada -> mother of -> Ben", "Ben -> lives in -> Oslo"]
QUESTION = "Where does the child of Ada live?"


def without_tags(merges: list[tuple[str, str]], *, template: bool = False) -> Any:
    """A byte-level tokenizer that knows no tags, as instruct models have."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = [*alphabet, *(a + b for a, b in merges)]
    bpe = Tokenizer(models.BPE({token: i for i, token in enumerate(vocabulary)}, merges))
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token="<|end|>")
    if template:
        tokenizer.chat_template = (
            "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]"
        )
    return tokenizer


def asking(tokenizer: Any) -> ChainPrompt:
    return ChainPrompt(LocalModel("", worlds.random_model(400), tokenizer, ModelSettings()))


TOKENIZERS = {
    "tags": worlds.byte_level(),
    "space and mark in one": without_tags([("Ġ", "<"), ("Ġ", ">")], template=True),
    "marks alone": without_tags([]),
}


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_the_prompt_shows_the_triples_and_ends_where_the_chain_begins(kind: str) -> None:
    prompt = asking(TOKENIZERS[kind])
    text = str(TOKENIZERS[kind].decode(prompt.tokens(QUESTION, TRIPLES)))
    assert f"[ {' | '.join(TRIPLES)} ]\nQuestion: {QUESTION}" in text
    assert text.endswith("Answer: Step by step:\n1.")
    assert ("[assistant]" in text) == bool(TOKENIZERS[kind].chat_template)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_the_tags_are_the_tokens_that_the_examples_have(kind: str) -> None:
    tokenizer, prompt = TOKENIZERS[kind], asking(TOKENIZERS[kind])
    assert prompt.wire == (TRIPLE if kind == "tags" else PLAIN)
    tokens = prompt.tokens(QUESTION, [])
    opening, closing = prompt.tags
    assert 3 < tokens.count(opening) <= tokens.count(closing)
    assert str(tokenizer.decode([opening])).strip() == prompt.wire.open
    assert str(tokenizer.decode([closing])).strip() == prompt.wire.close
    assert opening not in prompt.banned and closing in prompt.banned
    added = tokenizer.get_added_vocab()
    assert {added[m] for m in MARKERS if m in added} - {opening} <= prompt.banned


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_all_prompts_share_the_instruction_and_the_examples(kind: str) -> None:
    prompt = asking(TOKENIZERS[kind])
    one, other = prompt.tokens(QUESTION, TRIPLES), prompt.tokens("Who is Ben?", TRIPLES[1:])
    assert one[: prompt.shared] == other[: prompt.shared]
    assert str(TOKENIZERS[kind].decode(one[: prompt.shared])).count("Example 3") == 1


def test_a_tokenizer_that_cannot_set_triples_apart_is_an_error() -> None:
    merges = [("1", "."), ("1.", "Ġ"), ("1.Ġ", "<"), ("a", ">")]
    tokenizer = without_tags(merges)
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=False, use_regex=False
    )
    with pytest.raises(ConstraintError, match="no token <TRIPLE>"):
        _ = asking(tokenizer).tags


def test_texts_end_as_the_model_and_its_tokenizer_say() -> None:
    prompt = asking(TOKENIZERS["tags"])
    prompt.local.model.generation_config.eos_token_id = [7, 8]
    own: Any = TOKENIZERS["tags"].eos_token_id
    assert prompt.ends == {7, 8, own}
