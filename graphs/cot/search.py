"""Chains of thought over the triples around the question.

DoG without its constraint (section 3.3): the same prompt, and a reply in which nothing keeps the
model from triples that the KG does not hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path as Folder
from random import Random

from langchain_core.language_models import BaseChatModel

from ...agent.answers.question import Outcome, Question
from ...agent.answers.records import step_records
from ...agent.decoding.plan import of_model
from ...agent.decoding.wire import TRIPLE
from ...agent.kg.terms import Path, Step
from ...agent.llm.asking import Asker, UnansweredError
from ...agent.llm.chat import drawing
from ...agent.llm.free_text import Writing, write_freely
from ...agent.options import Options
from ...agent.prompting import render
from ..dog.prompt import chain_prompt
from ..ground import Ground
from ..prompted.claims import claim_reader
from ..prompted.conclusions import writes_paths
from ..prompted.surroundings import shown_triples, spelled
from .thoughts import Thought, agree, think
from .walks import search_free_walks

_LONGEST = 512
"""Tokens of a local model's chain of thought."""
_ALIKE = "the LLM's client takes no temperature, so that its samples may be alike"


@dataclass(frozen=True)
class _Written:
    """Texts of a model, and what they took."""

    texts: Sequence[str]
    notes: Sequence[str] = ()
    cost: dict[str, int] = field(default_factory=dict[str, int])
    shortened: int = 0


def search_thoughts(question: Question, ground: Ground, *, consistent: bool) -> Outcome:
    """One chain of thought, or if `consistent` what `Options.samples` of them agree on."""
    if ground.llm is None and writes_paths(ground.local):
        return search_free_walks(question, ground, consistent=consistent)
    triples = shown_triples(question, ground)
    (shown,) = step_records(ground.kg.labels, [Path("", tuple(map(Step, triples)))])
    samples = question.options.samples if consistent else 0
    facts = spelled(ground.kg, triples)
    if ground.llm is not None:
        prompt = _prompt(question.text, facts, ground.prompts)
        written = _ask(ground.llm, prompt, samples, question.options)
    else:
        written = _write(question, ground, facts, samples)
    understand = ground.shared.made(claim_reader)
    thoughts, requests = list[Thought](), 0
    for text in written.texts:
        thought, asked = think(understand, text, question.named_topics, shown)
        thoughts.append(thought)
        requests += asked
    ground.emit({"event": "decoded", "paths": len(thoughts)})
    unread = sum(not (own.chain or own.answers or own.asserted) for own in thoughts)
    return Outcome(
        [own.chain for own in thoughts if own.chain],
        agree(thoughts, "llm"),
        lost=sum(own.chain is None for own in thoughts),
        notes=written.notes,
        cost={**written.cost, "unread": unread, "kg_requests": requests},
        shortened=written.shortened,
    )


def _write(question: Question, ground: Ground, facts: Sequence[str], samples: int) -> _Written:
    """The texts of the local model."""
    options = question.options
    tokens = ground.shared.made(chain_prompt).tokens(question.text, facts)
    how = Writing(_LONGEST, samples=samples, temperature=options.temperature, seed=options.seed)
    written = write_freely(ground.local, tokens, how)
    return _Written(written.texts, cost=of_model(written.cost))


def _prompt(question: str, facts: Sequence[str], prompts: Folder | None) -> str:
    return render(
        "cot/chain.jinja",
        prompts,
        question=question,
        triples=facts,
        open=TRIPLE.open,
        close=TRIPLE.close,
    )


def _ask(llm: BaseChatModel, prompt: str, samples: int, options: Options) -> _Written:
    """One reply, or some samples; as many as there are until the client fails.

    What a local model draws depends on the seed, the prompt and the number of the sample alone.
    """
    notes, asker, texts = list[str](), Asker(llm), list[str]()
    try:
        for number in range(samples or 1):
            if samples:
                seed = Random(f"{options.seed} {number} {prompt}").getrandbits(32)
                drawn = drawing(llm, options.temperature, seed)
                if drawn is None and not number:
                    notes.append(_ALIKE)
                asker.llm = drawn or llm
            texts.append(asker.ask(prompt))
    except UnansweredError as error:
        got = f"; {len(texts)} of {samples} replies came" if samples else ""
        notes.append(f"{error}: the LLM did not answer{got}")
    return _Written(texts, notes, asker.cost, asker.shortened)
