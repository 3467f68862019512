"""structlm: the triples around the question as the StructLM checkpoints read them.

Their published form: a triple is its three names with blanks between, ` | ` is between triples, and
the question comes after them; in the instruction brackets of Llama 2, or under the headings of the
Mistral one. The sentences are ours; a folder of prompts may put in those of the training data.
"""

from collections.abc import Callable, Sequence
from pathlib import Path as Folder
from typing import Any, cast

from ..decoding.wire import SEPARATOR
from ..kg import KnowledgeGraph
from ..llm.local import LocalModel
from ..prompting import render
from . import Node
from .direct import direct


def structlm(
    kg: KnowledgeGraph, generator: Callable[[], LocalModel], prompts: Folder | None = None
) -> Node:
    """The local model is asked, even where there is a chat LLM."""
    return direct(kg, generator, None, prompts, struct_prompt)


def struct_prompt(
    local: LocalModel, question: str, facts: Sequence[str], prompts: Folder | None
) -> list[int]:
    """The tokens of the prompt; `facts` are triples as `spelled` gives them."""
    kind = "mistral" if local.model.config.model_type == "mistral" else "llama"
    triples = [fact.replace(SEPARATOR, " ") for fact in facts]
    text = render(f"structlm/{kind}.jinja", prompts, question=question, triples=triples)
    return list(cast(Any, local.tokenizer)(text)["input_ids"])
