"""`groundwalk eval run` from plain arguments: read, choose, build, ask, write."""

from pathlib import Path
from typing import cast

from rich.console import Console

from ..agent.kg import KnowledgeGraph, open_kg
from ..agent.state import Options, State
from .config import (
    Config,
    describe_kg,
    describe_model,
    describe_options,
    describe_questions,
    installed_versions,
)
from .readers import read_samples
from .run import prepare, run
from .samples import Part, choose
from .summary import Summary


def evaluate(
    dataset: str,
    data: Path | None,
    split: str,
    part: Part,
    limit: int | None,
    kg: str,
    model: str,
    method: str,
    out: Path,
    options: Options | None = None,
    *,
    seed: int = 0,
    console: Console | None = None,
) -> Summary:
    """Ask a method a question set over a KG and write the run directory `out`.

    Arguments are as the command line takes them; nobody can be asked back, so without `options`
    the best reading of an ambiguous mention is taken. `seed` is that of the intervals. Raises
    InputError (KGError, ModelError, DatasetError) before anything is asked.
    """
    from ..agent.llm.local import load_model
    from ..graphs.build import build_graph

    chosen = choose(read_samples(dataset, data, split), part, limit)
    prepare(out)
    context = options or Options(on_ambiguous="best")
    opened = open_kg(kg)
    try:
        local = load_model(model)
        graph = build_graph(method, kg=opened, generator=local)
        config = Config(
            method=method,
            questions=describe_questions(chosen, dataset, data, split, part, limit),
            options=describe_options(context),
            kg=describe_kg(opened),
            model=describe_model(local),
            versions=installed_versions(),
            seed=seed,
        )

        def answer(question: str) -> State:
            return cast("State", graph.invoke({"question": question}, context=context))

        return run(
            chosen, answer, out, config, labels=lambda t: _labels(opened, list(t)), console=console
        )
    finally:
        opened.close()


def _labels(kg: KnowledgeGraph, terms: list[str]) -> list[str]:
    return [info.label for info in kg.labels.describe(terms)]
