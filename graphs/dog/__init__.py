"""dog: decoding on graphs (Li et al., 2024).

The local model writes well-formed chains: triples of the graph, each of which touches a topic
entity or one before it (section 2.2), with free analysis between them and a conclusion. Beam search
is over triples (Algorithm 1). Where the paper leaves it open:

- The model opens a triple by writing its opening tag, and at the latest after `free` tokens of its
  own; it may end a chain at any time. `steps` triples are the most, the view's hops by default.
- A triple comes once in a chain. The triples are those of the whole graph, of which the prompt
  shows the `shown` nearest to the question, in words or by the model of `embeddings`.
- The best chain that concludes with an entity that its triples bring in gives the answers; what
  else conclusions name is listed apart as unsupported.
- A chain that is one walk from a topic entity to its only answer stands for its relation path,
  which is executed so that all that it reaches answers. With `complete=False`, as in the paper,
  only what the model wrote counts.
- A model that reads triples reads and writes them as stored, whatever the reading of the KG.
- A model that groundwalk trained to write chains writes no text between the triples and none after
  them: each triple goes on from where the one before it ended, the model answers with what the last
  one reaches, and its chains are ranked by how probable their relations are. That is not the
  paper's setting.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from sys import float_info

from ...agent.answers.candidates import reading_notes
from ...agent.answers.question import Conclusion, Outcome, Question
from ...agent.decoding.chain_search import (
    ChainHypothesis,
    ChainPlan,
    ChainQuestion,
    Prompt,
    chain_search,
)
from ...agent.decoding.chains import ChainLimits, ChainTriples
from ...agent.decoding.plan import Cost, usage_fields
from ...agent.decoding.wire import TRIPLE
from ...agent.errors import NoPathError
from ...agent.llm.local import LocalModel
from ...agent.llm.prompt import wire_prompt
from ...agent.llm.replies import without_thoughts
from ...agent.nodes.induce import Reasoning, induced
from ..ground import Ground
from ..harness import from_each
from ..method import REASONING, VIEW, Method
from ..prompted.surroundings import nearest, shown_triples, spelled
from .conclusions import Concluded, conclude, elect
from .prompt import ChainPrompt, chain_prompt, is_trained

_UNTRAINED = "the model was not trained to write chains"
_BEAMS = 3
_TRAINED_BEAMS = 10
"""Beams of a model that groundwalk trained, where nobody chose."""
_ANOTHER = re.compile(r"^\s*(?:#|Graph:|Question:)", re.M)


def search_chains(question: Question, ground: Ground) -> Outcome:
    """Search for chains (Algorithm 1), and answer as the best one that comes to an answer does.

    Where that chain is one walk from a topic entity, and `Options.complete`, all such chains vote
    and the relation path that wins is executed, so that everything it reaches answers.
    """
    options, local, kg = question.options, ground.local, ground.kg
    trained = is_trained(local.settings)
    alone = options.every_topic and trained and bool(question.topics)
    notes = [_UNTRAINED] if trained and "chain" not in local.settings.formats else []
    try:
        chains, cost = _decoded(question, ground, alone=alone)
    except NoPathError as error:
        return Outcome(conclusion=Conclusion(reasoner="chain"), notes=[*notes, error.message])
    texts = [_text(local, chain) if options.free and not trained else None for chain in chains]
    concluded = conclude(kg, question.terms, list(zip(chains, texts, strict=True)))
    ground.emit({"event": "decoded", "paths": len(concluded)})
    outcome = _outcome(concluded, notes, cost)
    walks = [chain for chain in outcome.candidates if chain.get("form") == "path"]
    decisive = next((end.chain for end in concluded if end.answers), None)
    if options.complete and decisive in walks:
        voting = Reasoning(kg, None, common=True, topics_apart=alone)
        return _with_vote(outcome, induced(voting, question, walks))
    return _with_reading(outcome)


def _outcome(concluded: Sequence[Concluded], notes: Sequence[str], cost: Cost) -> Outcome:
    """The chains with what the best of them concludes; lost are those without a triple."""
    return Outcome(
        [end.chain for end in concluded if end.chain],
        Conclusion(*elect(concluded), "chain"),
        lost=sum(end.chain is None and bool(end.asserted) for end in concluded),
        notes=notes,
        cost=usage_fields(cost),
    )


def _with_vote(outcome: Outcome, vote: Outcome) -> Outcome:
    """What the chains vote for, in the place of what the best one concludes."""
    assert outcome.conclusion is not None and vote.conclusion is not None
    return replace(
        outcome,
        conclusion=replace(vote.conclusion, unsupported=outcome.conclusion.unsupported),
        notes=[*outcome.notes, *vote.notes],
        cost={**outcome.cost, **vote.cost},
    )


def _with_reading(outcome: Outcome) -> Outcome:
    """With a note on what of the reading of the KG the shown chains rest on."""
    assert outcome.conclusion is not None
    shown = [chain for answer in outcome.conclusion.answers for chain in answer["chains"]]
    proofs = [chain for chain in outcome.candidates if chain["steps"] in shown]
    read = reading_notes(proof.get("read", []) for proof in proofs)
    return replace(outcome, notes=[*outcome.notes, *read])


def _decoded(
    question: Question, ground: Ground, *, alone: bool
) -> tuple[Sequence[ChainHypothesis], Cost]:
    """The chains of all topics together, or of each `alone`, the likeliest first."""
    options, local = question.options, ground.local
    asking, trained = ground.shared.made(chain_prompt), is_trained(local.settings)
    tags = asking.tags  # before anything is indexed: a model may have none
    index = ground.index()
    spelling = local.settings.chains if trained else "kg"
    limits = ChainLimits(inverse=question.inverse, spelling=spelling, onward=spelling == "walk")
    banned = [] if options.revisits == "walk" else question.terms
    plan = ChainPlan(
        ends=asking.ends,
        beams=options.beams or (_TRAINED_BEAMS if trained else _BEAMS),
        steps=options.steps or question.hops,
        scores=options.scores,
        free=0 if trained else options.free,
        banned=asking.banned,
    )

    def searched(asked: Question) -> tuple[Sequence[ChainHypothesis], Cost]:
        openings = ground.entity_openings(index)
        constraint = ChainTriples(index, openings, asked.terms, tags, limits)
        decoding = _chain_question(question, ground, asking, constraint)
        (reached,) = chain_search(local.model, [decoding], plan)
        if not trained:
            return reached.chains, reached.cost
        onward = (c for c in reached.chains if all(s.target not in banned for s in c.steps))
        return list(onward), reached.cost

    runs = from_each(question.by_topic() if alone else [question], searched)
    chains = [chain for chains, _ in runs for chain in chains]
    cost = sum((cost for _, cost in runs[1:]), runs[0][1])
    return _by_relevance(chains) if trained else chains, cost


def _chain_question(
    question: Question, ground: Ground, asking: ChainPrompt, constraint: ChainTriples
) -> ChainQuestion:
    local = ground.local
    if is_trained(local.settings):
        mentions = question.mentions
        tokens, shared = wire_prompt(local, question.text, mentions, TRIPLE, ground.prompts)
        return ChainQuestion(tokens, constraint, shared)
    triples = shown_triples(question, ground)
    prompt: Sequence[int] | Prompt = asking.tokens(question.text, spelled(ground.kg, triples))
    if question.options.visibility == "local":
        prompt = _local_prompt(question, ground, asking)
    return ChainQuestion(prompt, constraint, asking.shared)


def _local_prompt(question: Question, ground: Ground, asking: ChainPrompt) -> Prompt:
    """The prompt that shows the triples that the next one may be taken from (section 5.2)."""

    def prompt(constraint: ChainTriples) -> list[int]:
        visited = sorted(constraint.visited)
        around = [step.triple for steps in ground.facts.neighbours(visited) for step in steps]
        distinct = list(dict.fromkeys(around))
        triples = nearest(ground.kg, question.text, distinct, visited, question.options)
        return asking.tokens(question.text, spelled(ground.kg, triples))

    return prompt


def _by_relevance(chains: Sequence[ChainHypothesis]) -> list[ChainHypothesis]:
    """The chains with the log of their relevance as score, the most relevant first.

    A small model knows relations well and the names behind them hardly, so that the score of
    equation 3 prefers relations that lead to few entities.
    """
    scored = [replace(c, score=math.log(max(c.relevance, float_info.min))) for c in chains]
    return sorted(scored, key=lambda chain: -round(chain.score, 6))


def _text(local: LocalModel, chain: ChainHypothesis) -> str:
    """What a chain concludes with, up to where the model goes on with an example of its own."""
    text = str(local.tokenizer.decode(list(chain.conclusion), skip_special_tokens=True))
    return _ANOTHER.split(without_thoughts(text))[0].strip()


DOG = Method(
    search_chains,
    "chains of triples decoded along the graph, with free analysis between them (DoG)",
    format="chain",
    prompts="dog",
    reads=is_trained,
    reasons=True,
    paper={"beams": 3, "complete": False, "every_topic": False, "visibility": "full", "shown": 120},
    uses=VIEW
    | REASONING
    | {"beams", "revisits", "scores", "shown", "visibility"}
    | {"steps", "free", "complete", "every_topic", "embeddings"},
)
