"""A run without a model: questions, answers and settings made up."""

from collections.abc import Callable, Generator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from time import perf_counter

from groundwalk.agent.errors import QuestionError, ServiceError
from groundwalk.agent.records import Answer, Named, StepRecord, Usage, no_usage
from groundwalk.agent.state import State
from groundwalk.evaluation.records import Asked, Labels, Record, answered, failed
from groundwalk.evaluation.runner.asking import OpenAsk, Task, of_question
from groundwalk.evaluation.runner.config import Config, Questions, questions_digest
from groundwalk.evaluation.samples import Gold, Sample

CONFIG = Config(
    methods=("gcr",),
    questions=Questions("jsonl", "q.jsonl", "", "all", None, 0, ""),
    topics="linked",
    options={"on_ambiguous": "best"},
    kg={"source": "stub"},
    model={"source": "stub"},
    reader={"source": "stub"},
    llm="none",
    prompts="",
    versions={"python": "3"},
    seed=3,
)
SAMPLES = (
    Sample("s1", "capital of Peru", (Gold("<urn:Lima>", "Lima"),), hops=1),
    Sample("s2", "cities", (Gold(label="Lima"), Gold(label="Córdoba")), hops=2, tags=("list",)),
    Sample("s3", "service down", (Gold(label="Lima"),), hops=1),
    Sample("s4", "wakanda"),
    Sample("s5", "made up"),
    Sample("s6", "nothing", (Gold(label="Lima"),)),
    Sample("s7", "too long"),
)


def config(samples: Sequence[Sample] = SAMPLES, methods: tuple[str, ...] = ("gcr",)) -> Config:
    """The settings of a run over these samples."""
    asked = replace(
        CONFIG.questions, count=len(samples), digest=questions_digest(samples), limit=len(samples)
    )
    return replace(CONFIG, methods=methods, questions=asked)


def named(name: str) -> Named:
    return Named(term=f"<urn:{name}>", label=name)


def proven(name: str, verdict: str = "supported") -> Answer:
    step = StepRecord(
        head=named("Peru"), relation=named("has"), tail=named(name), inverse=False, verdict=verdict
    )
    return Answer(**named(name), score=0.5, chains=[[step]])


def says(*answers: Answer, unsupported: tuple[str, ...] = ()) -> State:
    usage: Usage = {**no_usage(), "tokens": 10, "llm_calls": 1}
    return State(
        status="answered" if answers else "abstained",
        answers=list(answers),
        unsupported=list(unsupported),
        usage=usage,
        notes=["noted"],
    )


def stub_answer(question: str) -> State:
    """Answer the samples, each in its own way."""
    match question:
        case "capital of Peru":
            return says(proven("Lima"), unsupported=("Cusco",))
        case "cities":
            return says(proven("Oslo", "unsupported"), proven("Cordoba"))
        case "service down":
            raise ServiceError("the store did not answer")
        case "made up":
            return says(proven("Lima"))
        case "too long":
            raise QuestionError("too long")
        case _:
            return says()


def opens(answer: Callable[[str], State] = stub_answer, labels: Labels | None = None) -> OpenAsk:
    """What opens answering by a function from questions to states."""

    def record(task: Task) -> Record:
        since, asked = perf_counter(), Asked("jsonl", "", task.method)
        try:
            state = answer(task.sample.question)
            return answered(task.sample, asked, state, perf_counter() - since, labels)
        except Exception as error:
            return failed(task.sample, asked, of_question(error), perf_counter() - since)

    def ask(tasks: Sequence[Task]) -> Generator[Record]:
        yield from map(record, tasks)

    return lambda: nullcontext(ask)
