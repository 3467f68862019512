"""A LangChain chat model that answers a question with reasoning paths of a knowledge graph.

    chat = GraphPathChat(load_model(), index, kg, LabelLinker(kg.labels).link)
    for chunk in chat.stream("Where was the director of Jaws born?"):
        print(chunk.text, end="")

The paths come one by one, the most likely first.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path as Folder
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from ..decoding.index import TokenIndex
from ..decoding.paths import PathLimits, PathState, ReasoningPaths
from ..decoding.search import BeamPlan, Cost, Hypothesis, Question, beam_search
from ..decoding.spelling import spell_paths
from ..decoding.stream import stream_search
from ..decoding.wire import PATH
from ..errors import InputError, QuestionError
from ..kg import KnowledgeGraph
from ..kg.terms import Path
from ..linking import Mention
from .local import LocalModel
from .path_question import path_question
from .prompt import Mention as Mentioned

Link = Callable[[str], Sequence[Mention]]
"""Finds the entities that a question names, as `LabelLinker(...).link` does."""


class GraphPathChat(BaseChatModel):
    """Replies to the last human message with one path a line, in the wire format, best first.

    `response_metadata["paths"]` holds the same paths as data: topic, answer and steps as terms,
    score and relevance; `response_metadata["cost"]` what they took. Streaming sends each path as
    soon as it is certain. Every call raises QuestionError where the message is no question or names
    no entity, NoPathError where no path leaves the entities, ConstraintError where the model cannot
    write paths, and InputError for stop texts, which would cut paths.
    """

    _local: LocalModel = PrivateAttr()
    _index: TokenIndex = PrivateAttr()
    _kg: KnowledgeGraph = PrivateAttr()
    _link: Link = PrivateAttr()
    _plan: BeamPlan = PrivateAttr()
    _limits: PathLimits = PrivateAttr()
    _prompts: Folder | None = PrivateAttr()

    def __init__(
        self,
        local: LocalModel,
        index: TokenIndex,
        kg: KnowledgeGraph,
        link: Link,
        *,
        plan: BeamPlan | None = None,
        limits: PathLimits | None = None,
        prompts: Folder | None = None,
        **options: Any,
    ) -> None:
        """Close over a model, its index of a KG and a linker; `options` are LangChain's own.

        Without `limits`, paths are as long and as free in direction as the model was trained on.
        """
        super().__init__(**options)
        settings = local.settings
        self._local, self._index, self._kg, self._link = local, index, kg, link
        self._plan = plan or BeamPlan()
        self._limits = limits or PathLimits(settings.hops, settings.inverse)
        self._prompts = prompts

    @property
    def _llm_type(self) -> str:
        return "groundwalk-paths"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        limits = asdict(self._limits) | {"excluded": sorted(self._limits.excluded)}
        return {
            "model_name": self._local.source,
            "kg": self._kg.source,
            "plan": asdict(self._plan),
            "limits": limits,
            "prompts": str(self._prompts or ""),
        }

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        question, paths = self._ask(messages, stop)
        (found,) = beam_search(self._local.model, [question], self._plan)
        told = (self._written(paths, hypothesis) for hypothesis in found.hypotheses)
        written = [record for record in told if record]
        tokens = sum(len(hypothesis.tokens) for hypothesis in found.hypotheses)
        message = AIMessage(
            "\n".join(line for line, _ in written),
            response_metadata={
                "model_name": self._local.source,
                "paths": [record for _, record in written],
                "cost": asdict(found.cost),
            },
            usage_metadata=_usage(len(question.prompt), tokens),
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        question, paths = self._ask(messages, stop)
        yield _chunk("", {"model_name": self._local.source}, _usage(len(question.prompt), 0))
        cost, lead = Cost(), ""
        for streamed in stream_search(self._local.model, question, self._plan):
            cost = streamed.cost
            if written := self._written(paths, streamed.hypothesis):
                line, record = written
                usage = _usage(0, len(streamed.hypothesis.tokens))
                yield _chunk(lead + line, {"paths": [record]}, usage)
                lead = "\n"
        yield _chunk("", {"cost": asdict(cost)}, None, last=True)

    def _ask(
        self, messages: Sequence[BaseMessage], stop: Sequence[str] | None
    ) -> tuple[Question[PathState], ReasoningPaths]:
        if stop:
            raise InputError("paths cannot be stopped at a text", "leave out the stop texts")
        said = [message for message in messages if isinstance(message, HumanMessage)]
        text = said[-1].text.strip() if said else ""
        if not text:
            raise QuestionError("the question is empty", "ask about something in the graph")
        mentions = self._link(text)
        best = [mention.candidates[0] for mention in mentions]
        if not best:
            raise QuestionError(
                "no entity of the graph was recognised in the question",
                "name one as the graph does, or put its name in [brackets]",
            )
        return path_question(
            self._local,
            self._index,
            text,
            [
                Mentioned(mention.start, mention.end, entity.name, entity.kind)
                for mention, entity in zip(mentions, best, strict=True)
            ],
            {entity.term: entity.name for entity in best},
            self._limits,
            self._prompts,
        )

    def _written(
        self, paths: ReasoningPaths, hypothesis: Hypothesis[PathState]
    ) -> tuple[str, dict[str, Any]] | None:
        """A path of real triples as a line, and as data; None where the KG no longer holds one."""
        (path,) = self._kg.prove([paths.path(hypothesis.state)])
        if path is None:
            return None
        (text,) = spell_paths(self._kg.labels, [path])
        return f"{PATH.open}{text}{PATH.close}", _record(path, text, hypothesis)


def _record(path: Path, text: str, hypothesis: Hypothesis[PathState]) -> dict[str, Any]:
    return {
        "text": text,
        "topic": path.topic,
        "answer": path.end,
        "steps": [{**step.triple._asdict(), "inverse": step.inverse} for step in path.steps],
        "score": round(hypothesis.score, 6),
        "relevance": round(hypothesis.relevance, 6),
    }


def _chunk(
    text: str, metadata: dict[str, Any], usage: UsageMetadata | None, *, last: bool = False
) -> ChatGenerationChunk:
    message = AIMessageChunk(
        content=text,
        response_metadata=metadata,
        usage_metadata=usage,
        chunk_position="last" if last else None,
    )
    return ChatGenerationChunk(message=message)


def _usage(read: int, written: int) -> UsageMetadata:
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
