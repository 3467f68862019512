"""Free text after a word, or after a prompt, is what Hugging Face's own greedy decoding writes."""

from pathlib import Path as Folder
from typing import Any

import torch
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.session import Reply, Session, WritingPlan, write
from groundwalk.agent.decoding.tree import ROOT

from . import oracle, worlds

TOKENIZER = worlds.byte_level()
MODEL: Any = worlds.random_model(len(TOKENIZER))
PROMPTS = [[5, 9, 30], [40] * 9, [7, 8]]


def greedy(tokens: list[int], limit: int, stops: list[int]) -> tuple[int, ...]:
    output = MODEL.generate(
        input_ids=torch.tensor([tokens]),
        attention_mask=torch.ones(1, len(tokens), dtype=torch.long),
        max_new_tokens=limit,
        do_sample=False,
        eos_token_id=stops or None,
        pad_token_id=0,
    )
    assert isinstance(output, torch.Tensor)
    written = output[0, len(tokens) :].tolist()
    return tuple(written[:-1] if written[-1] in stops else written)


def test_texts_of_a_batch_are_those_of_greedy_decoding() -> None:
    free = [greedy(prompt, 12, []) for prompt in PROMPTS]
    for stops in ([], [free[0][5]], [free[1][0], free[2][3]]):
        session = Session(MODEL, PROMPTS)
        plan = WritingPlan(frozenset(stops), 12)
        written = write(session, [(row, ROOT) for row in range(3)], plan)
        expected = [greedy(prompt, 12, stops) for prompt in PROMPTS]
        assert [text.tokens for text in written] == expected
        for text in written:
            assert (text.stop in stops) == (len(text.tokens) < 12 or text.stop is not None)


def test_a_text_that_ends_at_the_limit_has_its_stop() -> None:
    free = greedy(PROMPTS[0], 12, [])
    limit = next(i for i in range(1, 12) if free[i] not in free[:i])
    for stops in ([free[limit]], []):
        (text,) = write(
            Session(MODEL, PROMPTS[:1]), [(0, ROOT)], WritingPlan(frozenset(stops), limit)
        )
        assert (text.tokens, text.stop) == (free[:limit], free[limit] if stops else None)


def test_banned_tokens_are_never_written() -> None:
    first = greedy(PROMPTS[0], 1, [])
    plan = WritingPlan(frozenset(), 5, banned=frozenset(first))
    (text,) = write(Session(MODEL, PROMPTS[:1]), [(0, ROOT)], plan)
    assert len(text.tokens) == 5 and first[0] not in text.tokens


def test_hypothesis_answers_are_written_after_path_and_heading(tmp_path: Folder) -> None:
    kg = worlds.graph([(0, 0, 1), (1, 0, 2), (1, 1, 3)], tmp_path)
    paths: Any = oracle.constraint(kg, TOKENIZER, [worlds.entity(0)], PathLimits())
    heading = (60, 61)
    reply = Reply(heading, WritingPlan(frozenset([77]), 6))
    questions = [Question(prompt, paths) for prompt in PROMPTS]
    plain = beam_search(MODEL, questions, BeamPlan(3))
    for prompt, found, before in zip(
        PROMPTS, beam_search(MODEL, questions, BeamPlan(3), reply=reply), plain, strict=True
    ):
        for hypothesis, bare in zip(found.hypotheses, before.hypotheses, strict=True):
            assert (hypothesis.tokens, bare.reply) == (bare.tokens, ())
            tokens = [*prompt, *hypothesis.tokens, *heading]
            assert hypothesis.reply == greedy(tokens, 6, [77])
