"""direct, structlm: the triples around the question in one prompt, and the answers in the reply.

`direct` is DoG's direct answering (section 3.3): a chat LLM is asked, else a local model that
follows instructions. Answers are matched with the entities of the triples that were shown; each
comes with the shortest walk to it among them. What else the reply names is listed apart as
unsupported. Where the local model only writes reasoning paths, it weighs the walks along what is
shown, and a note says so (the likelihood form).

`structlm` is for the StructLM checkpoints (Zhuang et al.) as the local model, such as
`--model TIGER-Lab/StructLM-7B`; it is asked even where there is a chat LLM. In their published form
a triple is its three names with blanks between, ` | ` is between triples, and the question comes
after them; in the instruction brackets of Llama 2, or under the headings of the Mistral one. The
sentences are ours; a folder of prompts may put in those of the training data.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path as Folder
from typing import Any, cast

from ..agent.answers.candidates import name_terms, step_records
from ..agent.answers.question import Conclusion, Outcome, Question
from ..agent.decoding.plan import usage_fields
from ..agent.decoding.wire import SEPARATOR
from ..agent.kg.terms import Path, Step, Term, Triple
from ..agent.kg.walking.listing import list_walks
from ..agent.llm.asking import Asker, UnansweredError
from ..agent.llm.free_text import Writing, write_freely
from ..agent.llm.likelihood import prompt_tokens
from ..agent.llm.local import LocalModel
from ..agent.llm.replies import read_answers, says_nothing
from ..agent.records import StepRecord
from ..prompts import render
from .ground import Ground
from .method import VIEW, Method, never
from .prompted.conclusions import LIKELIHOOD, elect, match_answers, weighed, writes_paths
from .prompted.surroundings import shown_triples, spelled
from .prompted.walks import Walk, entity_names, walked

_LONGEST = 256
"""Tokens of a local model's reply."""
_MOST_WALKS = 200
"""Walks that a model that writes paths weighs."""
_NOTHING = "the graph shows no triple around the topics"

Prompt = Callable[[LocalModel, str, Sequence[str], Folder | None], list[int]]
"""The tokens of a local model's prompt: of a question and the triples, each on a line."""


def _answer(prompt: Prompt, question: Question, ground: Ground, *, asks_llm: bool) -> Outcome:
    """Answers and their proofs: shortest walks among the triples that were shown."""
    triples = shown_triples(question, ground)
    (shown,) = step_records(ground.kg.labels, [Path("", tuple(map(Step, triples)))])
    if not shown:
        return Outcome(conclusion=Conclusion(), notes=[_NOTHING])
    facts = spelled(ground.kg, triples)
    if asks_llm and ground.llm is not None:
        text = render("direct/answer.jinja", ground.prompts, question=question.text, facts=facts)
        return _asked(Asker(ground.llm), text, question, shown)
    if writes_paths(ground.local):
        return _weighed(question, ground, triples)
    tokens = prompt(ground.local, question.text, facts, ground.prompts)
    written = write_freely(ground.local, tokens, Writing(_LONGEST))
    (reply,) = written.texts
    names = read_answers(reply, entity_names(shown))
    return Outcome(
        conclusion=match_answers(names, question.named_topics, shown, "llm"),
        cost={**usage_fields(written.cost), "unread": int(says_nothing(reply))},
    )


def _asked(asker: Asker, prompt: str, question: Question, shown: Sequence[StepRecord]) -> Outcome:
    try:
        names = asker.names(prompt, entity_names(shown))
        conclusion = match_answers(names, question.named_topics, shown, "llm")
    except UnansweredError:
        conclusion = Conclusion(reasoner="llm")
    return Outcome(
        conclusion=conclusion,
        notes=asker.silence,
        cost=asker.cost,
        shortened=asker.shortened,
    )


def _weighed(question: Question, ground: Ground, triples: Sequence[Triple]) -> Outcome:
    """The ends of the likeliest relation path of all walks along the triples."""
    options, labels = question.options, ground.kg.labels
    shown = _Shown(triples, inverse=question.inverse)
    listed, more = list_walks(
        shown, question.terms, question.hops, revisits=options.revisits, most=_MOST_WALKS
    )
    if not listed:
        return Outcome(conclusion=Conclusion(reasoner="likelihood"), notes=[LIKELIHOOD])
    starts = name_terms(labels, question.terms)
    walks = [
        Walk(topic=starts[path.topic], steps=steps, score=1.0, relevance=1.0)
        for path, steps in zip(listed, step_records(labels, listed), strict=True)
    ]
    weights, cost = weighed(question, ground, walks)
    conclusion = elect(weights, [walk["relevance"] for walk in weights], "likelihood")
    chains = [chain for answer in conclusion.answers for chain in answer["chains"]]
    cut = [f"{_MOST_WALKS:,} walks were weighed, and there are more"] if more else []
    return Outcome(
        [walked(walk) for walk in weights if walk["steps"] in chains],
        conclusion,
        notes=[LIKELIHOOD],
        cuts=cut,
        cost=usage_fields(cost),
    )


class _Shown:
    """The triples that are shown, as what walks may use."""

    def __init__(self, triples: Sequence[Triple], *, inverse: bool) -> None:
        self._leaving: dict[Term, list[Step]] = {}
        for triple in triples:
            for way in (False, True) if inverse else (False,):
                step = Step(triple, way)
                self._leaving.setdefault(step.source, []).append(step)

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        return [self._leaving.get(node, []) for node in nodes]


def _chat_prompt(
    local: LocalModel, question: str, facts: Sequence[str], prompts: Folder | None
) -> list[int]:
    text = render("direct/answer.jinja", prompts, question=question, facts=facts)
    return prompt_tokens(local.tokenizer, text)


def struct_prompt(
    local: LocalModel, question: str, facts: Sequence[str], prompts: Folder | None
) -> list[int]:
    """The tokens of StructLM's prompt; `facts` are triples as `spelled` gives them."""
    kind = "mistral" if local.model.config.model_type == "mistral" else "llama"
    triples = [fact.replace(SEPARATOR, " ") for fact in facts]
    text = render(f"structlm/{kind}.jinja", prompts, question=question, triples=triples)
    return list(cast(Any, local.tokenizer)(text)["input_ids"])


_METHOD = partial(
    Method,
    reads=never,
    reasons=True,
    answers_from_facts=True,
    paper={"shown": 120},
    uses=VIEW | {"revisits", "shown", "embeddings"},
)
DIRECT = _METHOD(
    partial(_answer, _chat_prompt, asks_llm=True),
    "answers at once from the triples around the question (DoG's direct answering)",
    prompts="direct",
)
STRUCTLM = _METHOD(
    partial(_answer, struct_prompt, asks_llm=False),
    "the triples around the question as the StructLM checkpoints read them",
    prompts="structlm",
)
