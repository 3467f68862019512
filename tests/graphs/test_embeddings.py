"""What a prompt shows, ranked by an embedding model where one is named (DoG, appendix B)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.graphs.dog.prompt import ChainPrompt
from groundwalk.graphs.prompted.surroundings import spelled

from .embedding import save_embedding
from .prompting import ask, instruct_model, open_graph
from .scripted import in_order

QUESTION = "Who is a parent of Ben?"
ALIKE = {"who": 0, "parent": 1, "mother": 1, "lives": 2, "in": 2, "ben": 3, "oslo": 3}
"""The name of the town sounds like that of the child, so that Ben alone does not decide."""
FACT = re.compile(r"\w+ -> (?:mother of|lives in) -> (?:Ben|Oslo)")
NEAR = ["Ada -> mother of -> Ben", "Eve -> mother of -> Ben"]


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_graph(tmp_path_factory.mktemp("embeddings"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_embedding(tmp_path_factory.mktemp("model"), ALIKE)


@pytest.mark.parametrize("method", ["direct", "cot", "cot-sc"])
def test_what_a_chat_llm_is_shown(kg: KnowledgeGraph, model: str, method: str) -> None:
    def shown(**options: Any) -> list[str]:
        llm = in_order("NONE")
        ask(kg, method, llm=llm, question=QUESTION, hops=1, shown=2, samples=1, **options)
        return FACT.findall(llm.asked[0])

    assert sorted(shown(embeddings=model)) == NEAR
    assert sorted(shown()) != NEAR, "words alone do not tell that a mother is a parent"


@pytest.mark.parametrize("visibility", ["full", "local"])
def test_what_dogs_model_is_shown(
    kg: KnowledgeGraph, model: str, visibility: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = list[tuple[str, ...]]()
    tokens = ChainPrompt.tokens

    def seen(self: ChainPrompt, question: str, triples: Sequence[str]) -> list[int]:
        if question == QUESTION:
            prompts.append(tuple(triples))
        return tokens(self, question, triples)

    monkeypatch.setattr(ChainPrompt, "tokens", seen)
    how: dict[str, Any] = {"question": QUESTION, "hops": 1, "shown": 2, "steps": 1, "free": 2}
    how |= {"visibility": visibility, "local": instruct_model()}
    ask(kg, "dog", **how, embeddings=model)
    ranked = set(prompts)
    prompts.clear()
    ask(kg, "dog", **how)
    assert {tuple(sorted(own)) for own in ranked} == {tuple(NEAR)}
    assert not ranked & set(prompts)


def test_what_structlm_is_shown(
    kg: KnowledgeGraph, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = list[list[str]]()

    def seen(kg: KnowledgeGraph, triples: Any) -> list[str]:
        shown.append(spelled(kg, triples))
        return shown[-1]

    monkeypatch.setattr("groundwalk.graphs.direct.spelled", seen)
    local = instruct_model()
    ask(kg, "structlm", local=local, question=QUESTION, hops=1, shown=2, embeddings=model)
    assert [sorted(own) for own in shown] == [NEAR]


@pytest.mark.parametrize("method", ["direct", "dog"])
def test_a_folder_without_a_model_is_told(kg: KnowledgeGraph, tmp_path: Path, method: str) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelError, match="embedding model does not load"):
        ask(kg, method, llm=in_order(), local=instruct_model(), embeddings=str(tmp_path))
