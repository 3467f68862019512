"""The graph and the models of the tests of methods that prompt, and what they make sure of."""

from pathlib import Path
from typing import Any

from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.graphs import METHODS
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.skeleton import skeleton
from langchain_core.language_models import BaseChatModel
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from ..agent.decoding import worlds
from .families import FAMILY, open_family

LINES = f"""{FAMILY}Sam|lives in|St. Ives, Cornwall
Kim|plays for|1. FC Köln
Kim|likes|FC Köln
"""
QUESTION = "Where do the children of Ada live?"
TRIPLES = {tuple(line.split("|")) for line in LINES.split("\n") if line}


def open_graph(folder: Path) -> KnowledgeGraph:
    return open_family(folder, LINES)


def path_model(*, masked: bool = False) -> LocalModel:
    """A random model with the tags of reasoning paths."""
    tokenizer = worlds.byte_level()
    weights = worlds.random_model(len(tokenizer)).float()
    return LocalModel("random", weights, tokenizer, ModelSettings(instruct=False, masked=masked))


def instruct_model() -> LocalModel:
    """A random model without tags, which is asked as one that follows instructions."""
    bytewise = Tokenizer(models.BPE())
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=257, initial_alphabet=alphabet, special_tokens=["<eos>"], show_progress=False
    )
    bytewise.train_from_iterator([], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytewise, eos_token="<eos>")
    weights = worlds.random_model(len(tokenizer)).float()
    return LocalModel("random", weights, tokenizer, ModelSettings())


def saying(reply: str) -> LocalModel:
    """A model without tags that follows instructions, and writes one reply to all of them."""
    tokenizer: Any = instruct_model().tokenizer
    return worlds.saying(reply, tokenizer)


def never() -> LocalModel:
    raise AssertionError("no local model is needed")


def ask(
    kg: KnowledgeGraph,
    method: str,
    *,
    llm: BaseChatModel | None = None,
    local: LocalModel | None = None,
    question: str = QUESTION,
    ident: str = "",
    **options: Any,
) -> Any:
    """What a method says of a question; checks that all it shows is in the graph."""
    settings = local.settings if local else ModelSettings()
    parts = Parts(kg, LabelLinker(kg.labels), settings, (lambda: local) if local else never, llm)
    asked: Any = {"question": question, **({"id": ident} if ident else {})}
    options = {"hops": 2, **options}
    context = Options(on_ambiguous="best", confidence=0.0, **options)
    state: Any = skeleton(method, METHODS[method], parts, None).invoke(asked, context=context)
    assert shown(state) <= TRIPLES
    return state


def shown(state: Any) -> set[tuple[str, ...]]:
    """The triples that the user sees."""
    chains = [chain for answer in state.get("answers", []) for chain in answer["chains"]]
    chains += [own["steps"] for own in state.get("candidates", [])]
    parts = ("head", "relation", "tail")
    return {tuple(step[part]["label"] for part in parts) for chain in chains for step in chain}
