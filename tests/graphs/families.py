"""A small family graph and a random model that can write every format."""

from pathlib import Path
from typing import Any, cast

from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.agent.state import State

from ..agent.decoding import worlds
from ..whole import build_graph

FAMILY = """
Ada|mother of|Ben
Ada|mother of|Cleo
Eve|mother of|Ben
Ben|lives in|Oslo
Cleo|lives in|Rome
Rome|capital of|Italy
Zoe|likes|Zoe
"""


def open_family(folder: Path, lines: str = FAMILY) -> KnowledgeGraph:
    """The graph of some lines, built in a folder."""
    (folder / "family.kb").write_text(lines, encoding="utf-8")
    return open_kg(str(folder / "family.kb"), cache=folder / "cache")


def random_local(seed: int = 0) -> LocalModel:
    tokenizer = worlds.byte_level()
    weights = worlds.random_model(len(tokenizer), seed=seed).float()
    formats = ("path", "plan", "chain")
    settings = ModelSettings(hops=2, instruct=False, formats=formats)
    return LocalModel("random", weights, tokenizer, settings)


def asked(
    kg: KnowledgeGraph, local: LocalModel, method: str, question: str, **options: object
) -> Any:
    """What a method says by itself; nothing is held back for lack of confidence."""
    given = {"on_ambiguous": "best", "confidence": 0.0, "queries": False, **options}
    context = Options(**cast(dict[str, Any], given))
    graph = build_graph(method, kg=kg, generator=local)
    return graph.invoke({"question": question}, context=context)


def labels(state: State) -> set[str]:
    """The names of the answers."""
    return {answer["label"] for answer in state.get("answers", [])}


def triples(state: State) -> set[tuple[str, str, str]]:
    return {
        (step["head"]["label"], step["relation"]["label"], step["tail"]["label"])
        for answer in state.get("answers", [])
        for chain in answer["chains"]
        for step in chain
    }
