"""Free writing of a local model, against what the model's own logits say."""

from typing import Any

import pytest
import torch
from groundwalk.agent.decoding.wire import PATH
from groundwalk.agent.errors import ConstraintError
from groundwalk.agent.llm.free_text import Writing, write_freely
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from tokenizers import AddedToken

from ..decoding import worlds

TOKENIZER = worlds.byte_level()
LOCAL = LocalModel("random", worlds.random_model(len(TOKENIZER)), TOKENIZER, ModelSettings())
PROMPT = list[int](TOKENIZER("Who are you?")["input_ids"])


def greedy(prompt: list[int], length: int) -> list[int]:
    tokens = list(prompt)
    with torch.inference_mode():
        for _ in range(length):
            logits = LOCAL.model(torch.tensor([tokens])).logits[0, -1]
            tokens.append(int(logits.argmax()))
    return tokens[len(prompt) :]


def test_the_best_text_is_the_greedy_one() -> None:
    written = write_freely(LOCAL, PROMPT, Writing(12))
    expected = greedy(PROMPT, 12)
    if TOKENIZER.eos_token_id in expected:
        expected = expected[: expected.index(TOKENIZER.eos_token_id)]
    assert written.texts == (TOKENIZER.decode(expected, skip_special_tokens=True),)
    assert 0 < written.cost.forward_passes <= 12


def test_a_closing_token_ends_a_text_and_stays_in_it() -> None:
    second = greedy(PROMPT, 2)[1]
    written = write_freely(LOCAL, PROMPT, Writing(12, closing=frozenset({second})))
    first = greedy(PROMPT, 1) if greedy(PROMPT, 1) != [second] else []
    assert written.texts == (TOKENIZER.decode([*first, second]),)


def test_beams_give_as_many_texts() -> None:
    assert len(write_freely(LOCAL, PROMPT, Writing(6, beams=4)).texts) == 4


def test_samples_depend_on_the_seed_alone() -> None:
    def drawn(seed: int) -> tuple[str, ...]:
        return write_freely(LOCAL, PROMPT, Writing(8, samples=3, temperature=2.0, seed=seed)).texts

    before = torch.random.get_rng_state()
    assert drawn(1) == drawn(1) and len(drawn(1)) == 3
    assert len({drawn(seed) for seed in range(4)}) > 1
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize(
    "how", [Writing(9), Writing(9, beams=4), Writing(9, samples=3, temperature=2.0)]
)
def test_the_cost_is_what_the_model_took_in_and_wrote(how: Writing) -> None:
    with worlds.taken_in(LOCAL.model) as shapes:
        cost = write_freely(LOCAL, PROMPT, how).cost
    rows = how.samples or how.beams
    assert shapes[0] == (rows, len(PROMPT)), "every beam takes the prompt in"
    assert cost.prompt_tokens == rows * len(PROMPT)
    assert cost.forward_passes == len(shapes)
    assert cost.tokens == rows * len(shapes), "no row has ended before"


def test_what_pads_a_sample_that_has_ended_is_not_counted() -> None:
    ends = frozenset(range(0, len(TOKENIZER), 4))
    how = Writing(9, samples=6, temperature=5.0, seed=3, closing=ends)
    with worlds.taken_in(LOCAL.model) as shapes:
        written = write_freely(LOCAL, PROMPT, how)
    lengths = [
        len(TOKENIZER(text, add_special_tokens=False)["input_ids"]) for text in written.texts
    ]
    assert len(set(lengths)) > 1
    assert len(shapes) < written.cost.tokens < 6 * len(shapes)


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize(
    ("begun", "reply", "text"),
    [
        ("", "<think>Rome, Rome</think>Oslo", "Oslo"),
        ("", "<think>Rome", ""),
        ("<think>\n", "Rome, Rome</think>Oslo", "Oslo"),
        ("<think>\n", "Rome", ""),
        ("<think>\n\n</think>\n\n", "Oslo", "Oslo"),
    ],
)
def test_thoughts_are_no_part_of_a_text(special: bool, begun: str, reply: str, text: str) -> None:
    tokenizer = worlds.byte_level()
    marks: Any = [AddedToken(mark, special=special) for mark in ("<think>", "</think>")]
    tokenizer.add_tokens(marks, special_tokens=special)
    local = worlds.saying(reply, tokenizer)
    prompt = list[int](tokenizer(f"Where?{begun}")["input_ids"])
    assert write_freely(local, prompt, Writing(40)).texts == (text,)


def test_a_prompt_that_does_not_fit_is_told() -> None:
    with pytest.raises(ConstraintError, match="too long"):
        write_freely(LOCAL, PROMPT * 1_000, Writing(10))
    assert PATH.open not in write_freely(LOCAL, PROMPT, Writing(4)).texts[0]
