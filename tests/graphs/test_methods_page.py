"""docs/methods.md tells of every method, and of the options that it really reads."""

import ast
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from functools import partial
from inspect import getsource
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import pytest
from groundwalk.agent import options as module
from groundwalk.agent.errors import ConstraintError, ModelError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.local import LocalModel, load_model
from groundwalk.agent.options import Options, read_options
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.word_reader import NoAccount
from groundwalk.agent.records import Word
from groundwalk.evaluation.datasets.jsonl import WORLD_RETRIEVED
from groundwalk.graphs import METHODS, ground
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.method import COMMON
from groundwalk.graphs.methods import method_options
from groundwalk.graphs.skeleton import skeleton

from ..agent.query.models import random_reader
from ..whole import build_graph
from .prompting import instruct_model
from .scripted import Scripted

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
NAMES = [own.name for own in fields(Options)]
TOLD = ("Paper", "Needs", "Likelihood form", "Measured")
QUESTION = "Which languages are official in Korea?"
"""It names either of two countries."""
QUICK: dict[str, Any] = {
    **{"on_ambiguous": "best", "hops": 1, "beams": 2, "shown": 5},
    **{"width": 1, "depth": 4, "expansions": 6, "free": 2, "samples": 1},
}
HEAD = "| option | default | `--paper` |\n| --- | --- | --- |\n"


class Watched(Options):
    """Options that remember which of them were read."""

    read: ClassVar[set[str]] = set()
    """Since the last `clear`."""

    def __getattribute__(self, name: str) -> Any:
        if name in NAMES:
            Watched.read.add(name)
        return object.__getattribute__(self, name)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The options that each method reads, with and without a chat LLM and an indexed graph.

    What is said to be of some methods counts for no others, though a shared node may look at it.
    """
    kg, own = open_kg("world"), _said_to_be_of()
    file = tmp_path_factory.mktemp("read") / "retrieved.jsonl"
    file.write_text(json.dumps({"question": QUESTION, "candidates": ["Korean"]}))
    bundled, instruct = load_model(), instruct_model()
    llm = Scripted(lambda _: "NONE")
    found = dict[str, set[str]]()
    with pytest.MonkeyPatch.context() as patch:
        for method in METHODS:
            ask = partial(_read, kg, method, retrieved=str(file))
            several = [
                ask(bundled),
                ask(bundled, llm),
                ask(instruct),
                ask(instruct, confidence=0.0),
            ]
            if any("planning" in names for names in several):
                several.append(ask(bundled, planning="random"))
            several.append(_read_of_a_query(kg, method))
            patch.setattr(ground, "MOST_WHOLE", 0)
            several += [ask(bundled), ask(bundled, queries=False)]
            patch.undo()
            names = set[str]().union(*several)
            found[method] = {name for name in names if method in own.get(name, METHODS)}
    kg.close()
    return found


def _read(
    kg: KnowledgeGraph, method: str, local: LocalModel, llm: Scripted | None = None, **given: Any
) -> set[str]:
    watched = Watched(**QUICK, **given)
    Watched.read.clear()
    with suppress(ConstraintError, ModelError):  # a model without tags or baselines
        graph: Any = build_graph(method, kg=kg, generator=local, llm=llm)
        graph.invoke({"question": QUESTION}, context=watched)
    return set(Watched.read)


class _LeavesOut(NoAccount):
    """Says that a word of every question is left out."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        return [Word(text="official", start=20, end=28, used_by="unread")]


def _read_of_a_query(kg: KnowledgeGraph, method: str) -> set[str]:
    """The options that a method reads with a model that reads questions as queries."""
    local = random_reader()
    parts = Parts(kg, LabelLinker(kg.labels), local.settings, lambda: local, account=_LeavesOut)
    if not METHODS[method].values:
        return set()
    watched = Watched(**QUICK, confidence=0.0)
    Watched.read.clear()
    graph: Any = skeleton(method, METHODS[method], parts, False)
    graph.invoke({"question": QUESTION}, context=watched)
    return set(Watched.read)


def _said_to_be_of() -> dict[str, set[str]]:
    """The methods that the documentation of an option begins with, such as `tog: ...; tot: ...`."""
    (options,) = (
        node
        for node in ast.parse(getsource(module)).body
        if isinstance(node, ast.ClassDef) and node.name == Options.__name__
    )
    found, name = dict[str, set[str]](), ""
    for node in options.body:
        if isinstance(node, ast.AnnAssign):
            name = ast.unparse(node.target)
        elif isinstance(node, ast.Expr) and name:
            text = str(ast.literal_eval(node.value))
            methods = set(re.findall(r"(?:^|; )([a-z-]+): ", text)) & METHODS.keys()
            found |= {name: methods} if methods else {}
    return found


def cell(value: object) -> str:
    """A value as `--set` takes it; nothing for an empty text."""
    text = "none" if value is None else str(value)
    return f"`{text.lower() if isinstance(value, bool) else text}`" if text else ""


def table(names: set[str], paper: dict[str, Any]) -> str:
    unset = Options()
    cells = (
        (f"`{name}`", cell(getattr(unset, name)), cell(paper[name]) if name in paper else "")
        for name in NAMES
        if name in names
    )
    rows = (" | ".join(("", *own, "")).strip() for own in cells)
    return HEAD + "".join(re.sub(" +", " ", row) + "\n" for row in rows)


def shown(section: str) -> str:
    """The table of options in a section."""
    (own,) = re.findall(re.escape(HEAD) + r"(?:\|.*\n)*", SECTIONS[section])
    return own


def papers_of_all() -> dict[str, Any]:
    """What `--paper` sets alike for every method; some need a file of what was retrieved."""
    given = Options(retrieved=str(WORLD_RETRIEVED))
    papers = [asdict(method_options(own, given, paper=True)) for own in METHODS]
    alike = papers[0].items() - asdict(given).items()
    return dict(alike.intersection(*(paper.items() for paper in papers)))


def common(read: dict[str, set[str]]) -> set[str]:
    return set.intersection(*read.values())


def test_every_method_has_a_section_that_says_what_is_asked_of_one() -> None:
    assert [name for name in SECTIONS if name in METHODS] == list(METHODS)
    for method in METHODS:
        told = re.findall(r"^\*\*(.*?)\*\*", SECTIONS[method], re.M)
        assert told == list(TOLD), method


def test_the_options_of_every_method_are_those_that_all_read(read: dict[str, set[str]]) -> None:
    assert shown("Every method") == table(common(read), papers_of_all())
    assert common(read) == COMMON
    assert papers_of_all() == {"queries": False}


@pytest.mark.parametrize("method", METHODS)
def test_the_options_of_a_method_are_those_that_it_reads(
    read: dict[str, set[str]], method: str
) -> None:
    paper = dict(METHODS[method].paper)
    assert paper.keys() <= read[method], "what it does not read cannot be as in the paper"
    own = read[method] - common(read) | paper.keys() - papers_of_all().keys()
    assert shown(method) == table(own, paper)
    assert METHODS[method].uses == own - common(read), "who sets another is told"


def test_every_option_is_read_and_explained(read: dict[str, set[str]]) -> None:
    assert set().union(*read.values()) == set(NAMES)
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|$", SECTIONS["What the options mean"], re.M)
    assert [name for name, _ in rows] == NAMES
    hints = get_type_hints(Options)
    for name, meaning in rows:
        if get_origin(hints[name]) is Literal:
            assert all(f"`{value}`" in meaning for value in get_args(hints[name])), name


def test_measures_are_those_of_the_results() -> None:
    results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)`[^|]*\| (\d+\.\d) \(", results, re.M)
    assert len(rows) >= 12
    told = re.findall(
        r"^## ([a-z-]+)\n(?:(?!^## ).*\n)*?\*\*Measured\*\*: Hits@1 ([\d.]+\d)", PAGE, re.M
    )
    assert dict(told) == dict(rows)


def test_values_are_written_as_they_are_set() -> None:
    for method, text in SECTIONS.items():
        for name, value in re.findall(r"^\| `(\w+)` \| `([^`]*)` \| ", text, re.M):
            if method in METHODS:
                read_options([f"{name}={value}"])
