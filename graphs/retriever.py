"""The graph as a LangChain retriever: its documents are verified chains."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from ..agent.options import Options
from ..agent.records import StepRecord
from .nesting import Compiled
from .tool import AskResult, result_of


class KGRetriever(BaseRetriever):
    """Retrieves the verified chains that answer a question; none where the graph does not say.

    A document's text has a line for each triple, `head - relation -> tail`, and after them the
    answer. Its metadata has the `answer`, its `term`, the `triples` as terms, the `status` and the
    `confidence` of the answer, how the question was read (`reading`), and the graph (`source`).
    Every question stands for itself. Raises GroundwalkError for what cannot be asked.

    >>> documents = KGRetriever(graph=build_graph()).invoke("What is the capital of Kenya?")
    >>> print(documents[0].page_content)
    Kenya - capital -> Nairobi
    Answer: Nairobi
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    graph: Compiled
    options: Options | None = None
    most: int = 20
    """Documents of a question at most."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        state = self._alone.invoke({"question": query}, **self._settings(run_manager))
        return documents_of(result_of(state))[: self.most]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        settings = self._settings(run_manager)
        state = await self._alone.ainvoke({"question": query}, **settings)
        return documents_of(result_of(state))[: self.most]

    @property
    def _alone(self) -> Compiled:
        return self.graph.with_state().copy({"checkpointer": False})

    def _settings(self, run_manager: Any) -> dict[str, Any]:
        options = self.options or Options(on_ambiguous="error")
        return {"context": options, "config": {"callbacks": run_manager.get_child()}}


def documents_of(result: AskResult) -> list[Document]:
    """The verified chains of a result as documents, and what was computed over them."""
    return [*_chains(result), *_computed(result)]


def _chains(result: AskResult) -> Iterator[Document]:
    for answer in result["answers"]:
        for chain in answer["chains"]:
            if chain and all(step["verdict"] == "supported" for step in chain):
                yield _document(result, answer["label"], answer["term"], chain)


def _computed(result: AskResult) -> Iterator[Document]:
    computed = result["result"]
    if computed is not None and computed["triples"]:
        held = [step for step in computed["triples"] if step["verdict"] == "supported"]
        yield _document(result, computed["text"], "", held)


def _document(result: AskResult, answer: str, term: str, steps: Sequence[StepRecord]) -> Document:
    lines = [
        f"{step['head']['label']} - {step['relation']['label']} -> {step['tail']['label']}"
        for step in steps
    ]
    triples = [[step[part]["term"] for part in ("head", "relation", "tail")] for step in steps]
    return Document(
        page_content="\n".join([*lines, f"Answer: {answer}"]),
        metadata={
            "answer": answer,
            "term": term,
            "triples": triples,
            "status": result["status"],
            "confidence": result["confidence"],
            "reading": result["reading"],
            "question": result["question"],
        },
    )
