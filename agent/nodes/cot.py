"""cot and cot-sc: chains of thought over the triples around the question.

DoG without its constraint (section 3.3): the same prompt, and a reply in which nothing keeps the
model from triples that the KG does not hold. cot-sc draws several replies and takes what most of
them answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path as Folder
from random import Random
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from ..decoding.wire import TRIPLE
from ..kg import KnowledgeGraph
from ..kg.terms import Path, Step
from ..llm.asking import Asker, UnansweredError, with_replies
from ..llm.chat import drawing
from ..llm.free_text import Writing, write_freely
from ..llm.local import LocalModel
from ..options import Options
from ..prompting import render
from ..state import Named, State
from . import Node
from .cot_walks import free_walks
from .dog_prompt import ChainPrompt
from .ground import told
from .likely import writes_paths
from .records import step_records
from .surroundings import spelled, surroundings
from .thoughts import Thought, agree, think
from .usage import of_model, spent
from .written import understanding

_LONGEST = 512
"""Tokens of a local model's chain of thought."""
_ALIKE = "the LLM's client takes no temperature, so that its samples may be alike"


@dataclass
class _Written:
    """Texts of a model, and what they took."""

    texts: Sequence[str]
    notes: list[str]
    cost: dict[str, int] = field(default_factory=dict[str, int])


def cot(
    kg: KnowledgeGraph,
    generator: Callable[[], LocalModel],
    llm: BaseChatModel | None,
    prompts: Folder | None = None,
    *,
    consistent: bool = False,
) -> Node:
    """One chain of thought, or with `consistent` the agreement of `Options.samples`."""
    find, understand = surroundings(kg), understanding(kg)
    free = free_walks(generator, understand, prompts, consistent=consistent)

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        if llm is None and writes_paths(generator()):
            return free(state, runtime)
        since = perf_counter()
        options = runtime.context or Options()
        triples, around = find(state, options)
        topics = [Named(term=t["term"], label=t["label"]) for t in state.get("topics", [])]
        (shown,) = step_records(kg.labels, [Path("", tuple(Step(t) for t in triples))])
        samples = options.samples if consistent else 0
        question, facts = state.get("question", ""), spelled(kg, triples)
        if llm is not None:
            text = _prompt(question, facts, prompts)
            written = _ask(llm, text, samples, options)
        else:
            local = generator()
            tokens = ChainPrompt(local, prompts).tokens(question, facts)
            how = Writing(
                _LONGEST, samples=samples, temperature=options.temperature, seed=options.seed
            )
            own = write_freely(local, tokens, how)
            written = _Written(own.texts, [], of_model(own.cost))
        thoughts, requests = list[Thought](), around.requests
        for text in written.texts:
            thought, asked = think(understand, text, topics, shown)
            thoughts.append(thought)
            requests += asked
        concluded = agree(thoughts)
        unread = sum(not (own.chain or own.answers or own.asserted) for own in thoughts)
        runtime.stream_writer({"event": "decoded", "paths": len(thoughts)})
        notes = list(state.get("notes", []))
        told_of = [*with_replies(written.notes, unread=unread), *told(kg, around)]
        return {
            "candidates": [own.chain for own in thoughts if own.chain],
            "answers": concluded.answers,
            "unsupported": concluded.unsupported,
            "lost": sum(own.chain is None for own in thoughts),
            "reasoner": "llm",
            "confidence": concluded.confidence,
            "notes": [*notes, *(note for note in told_of if note not in notes)],
            "usage": spent(
                state, since, kg_requests=requests, **{**written.cost, "unread": unread}
            ),
        }

    return run


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
    notes = with_replies(notes, unread=0, shortened=asker.shortened)
    return _Written(texts, notes, asker.cost)
