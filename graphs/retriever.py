"""The graph as a LangChain retriever: its documents are verified chains."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from ..agent.answers.computed import sentence
from ..agent.errors import ServiceError
from ..agent.options import Options
from ..agent.records import StepRecord, silence
from ..agent.state import State
from .nesting import CompiledGraph
from .tool import AskResult, result_of


class KGRetriever(BaseRetriever):
    """Retrieves the verified chains that answer a question; none where the graph does not say.

    A document's text has a line for each triple, `head - relation -> tail`, and after them the
    answer. What was computed, such as a number, is the first document; so is a list of the answers
    that has more chains than documents. Of a name that may mean several entities the only document
    lists them: its `status` is `ambiguous`, and it has no triples.

    Metadata has the `answer`, its `term`, the `triples` as terms, the `status` and the `confidence`
    of the answer, how the question was read (`reading`), the `question`, and how many documents
    there are (`total`) and are returned (`shown`). Every question stands for itself. Raises
    GroundwalkError for what cannot be asked, and ServiceError where the graph cannot be.

    >>> documents = KGRetriever(graph=build_graph()).invoke("What is the capital of Kenya?")
    >>> print(documents[0].page_content)
    Kenya - capital -> Nairobi
    Answer: Nairobi
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    graph: CompiledGraph
    options: Options | None = None
    """Those of the graph, where there are none."""
    most: Annotated[int, Field(ge=1)] = 20
    """Documents of a question at most."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        state = self._alone.invoke({"question": query}, **self._settings(run_manager))
        return documents_of(result_of(state), self.most)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        settings = self._settings(run_manager)
        state = await self._alone.ainvoke({"question": query}, **settings)
        return documents_of(result_of(state), self.most)

    @property
    def _alone(self) -> CompiledGraph[State]:
        return self.graph.with_state().copy({"checkpointer": False})

    def _settings(self, run_manager: Any) -> dict[str, Any]:
        options = self.options or self.graph.options
        return {"context": options, "config": {"callbacks": run_manager.get_child()}}


def documents_of(result: AskResult, most: int) -> list[Document]:
    """At most so many documents of a result; raises ServiceError where nothing could be checked."""
    chains = list(_chains(result))
    if result["status"] == "unchecked" and not chains:
        raise ServiceError("; ".join(result["notes"]) or silence("unchecked"))
    documents = [*_first(result, is_cut=len(chains) > most), *chains]
    shown = documents[:most]
    for document in shown:
        document.metadata |= {"total": len(documents), "shown": len(shown)}
    return shown


def _first(result: AskResult, *, is_cut: bool) -> Iterator[Document]:
    """What the chains do not say each by itself."""
    if result["status"] == "ambiguous":
        yield _document(result, "; ".join(result["notes"]), "", [])
    elif result["status"] == "introduced":
        return
    elif (computed := result["result"]) is not None:
        held = [step for step in computed["triples"] if step["verdict"] == "supported"]
        yield _document(result, f"Answer: {computed['text']}", computed["text"], held)
    elif is_cut:
        labels = [answer["label"] for answer in result["answers"]]
        listed = f"{len(labels):,} answers: {'; '.join(labels)}"
        yield _document(result, f"Answer: {listed}", listed, [])


def _chains(result: AskResult) -> Iterator[Document]:
    for answer in result["answers"]:
        for chain in answer["chains"]:
            if chain and all(step["verdict"] == "supported" for step in chain):
                label = answer["label"]
                yield _document(result, f"Answer: {label}", label, chain, answer["term"])


def _document(
    result: AskResult,
    last: str,
    answer: str,
    steps: Sequence[StepRecord],
    term: str = "",
) -> Document:
    """A document of some triples and a last line."""
    triples = [[step[part]["term"] for part in ("head", "relation", "tail")] for step in steps]
    return Document(
        page_content="\n".join([*map(sentence, steps), last]),
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
