"""Imports point one way, as ARCHITECTURE.md says; the source is read, nothing is imported.

An import within a function counts, and one for type checkers only: who reads a module has to know
what it names.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("agent", "graphs", "prompts", "training", "evaluation", "cli", "groundwalk")
BASE = "agent"
"""The layer of the modules directly in `agent/`."""
LABORATORY = "evaluation.benchmarks"
LAYERS = (
    "prompts",
    BASE,
    "agent.languages",
    "agent.kg",
    "agent.linking",
    "agent.decoding",
    "agent.llm",
    "agent.query",
    "agent.reader",
    "agent.answers",
    "agent.conversation",
    "agent.evidence",
    "agent.nodes",
    "graphs",
    "evaluation",
    "training",
    "cli",
    LABORATORY,
)
"""From the lowest to the highest: a module imports from its own layer and from those below."""
FREE_OF = {
    "agent.kg": ("torch", "transformers", "langgraph"),
    "agent.decoding": ("langgraph",),
}
"""Libraries that a layer knows nothing of, nor anything that it imports from here."""


PARTS_OF_A_CLASS = {
    ("agent.query.conditions", "agent.query.sets"),
    ("agent.query.aggregates", "agent.query.sets"),
}
"""Functions over a class that calls them, in other files: they may name it in their types."""


class Import(NamedTuple):
    """A name that a module imports from another, which is inside the package or a library.

    `name` is empty where the module itself is imported.
    """

    importer: str
    line: int
    module: str
    name: str

    def __str__(self) -> str:
        """The line of the source, and what it imports."""
        file = source_files()[self.importer].relative_to(ROOT)
        return f"{file}:{self.line} imports {'.'.join(filter(None, (self.module, self.name)))}"


@cache
def source_files() -> dict[str, Path]:
    """The file of every module, by its name within the package, such as `agent.kg.terms`."""
    files: dict[str, Path] = {}
    for part in PARTS:
        for file in sorted((ROOT / part).rglob("*.py")):
            *folders, stem = file.relative_to(ROOT).with_suffix("").parts
            files[".".join(folders if stem == "__init__" else [*folders, stem])] = file
    return files


def imports() -> Iterator[Import]:
    """All imports of all modules."""
    return chain.from_iterable(map(imports_of, source_files()))


@cache
def imports_of(module: str) -> tuple[Import, ...]:
    """The imports of a module, wherever in it they stand."""
    return tuple(_read_imports(module))


def _read_imports(module: str) -> Iterator[Import]:
    file = source_files()[module]
    package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, node.lineno, alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            source = source.removeprefix("groundwalk.")
            for alias in node.names:
                inner = f"{source}.{alias.name}" if source else alias.name
                if inner in source_files():
                    yield Import(module, node.lineno, inner, "")
                else:
                    yield Import(module, node.lineno, source, alias.name)


def layer(module: str) -> str:
    """The layer of a module; empty for the public face, which is above all."""
    part, _, rest = module.partition(".")
    if f"{module}.".startswith(f"{LABORATORY}."):
        return LABORATORY
    if part == "agent":
        folder = f"agent.{rest.partition('.')[0]}"
        return folder if folder in LAYERS else BASE
    return part if part in LAYERS else ""


def test_every_folder_of_agent_is_in_a_layer() -> None:
    folders = {file.parent.name for file in (ROOT / "agent").glob("*/__init__.py")}
    assert folders == {name.removeprefix("agent.") for name in LAYERS if name.startswith("agent.")}


def test_imports_point_downwards() -> None:
    height = {name: number for number, name in enumerate(LAYERS)}
    wrong = [
        f"{each}: {layer(each.importer)} is below {layer(each.module)}"
        for each in imports()
        if each.module in source_files()
        and layer(each.importer)
        and height[layer(each.importer)] < height.get(layer(each.module), len(LAYERS))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_modules_import_one_another() -> None:
    needs = {module: dict[str, Import]() for module in source_files()}
    for each in imports():
        pair = (each.importer, each.module)
        if each.module in needs and each.module != each.importer and pair not in PARTS_OF_A_CLASS:
            needs[each.importer][each.module] = each
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        circle = reversed(error.args[1])
        lines = [str(needs[importer][module]) for importer, module in pairwise(circle)]
        pytest.fail("these imports are a circle:\n" + "\n".join(lines), pytrace=False)


@pytest.mark.parametrize("name", FREE_OF)
def test_a_layer_is_free_of_libraries(name: str) -> None:
    ways = {module: str(module) for module in source_files() if layer(module) == name}
    waiting, wrong = list(ways), list[str]()
    while waiting:
        module = waiting.pop()
        for each in imports_of(module):
            if each.module.partition(".")[0] in FREE_OF[name]:
                wrong.append(f"{each}, reached by {ways[module]}")
            elif each.module in source_files() and each.module not in ways:
                ways[each.module] = f"{ways[module]} -> {each.module}"
                waiting.append(each.module)
    assert not wrong, "\n".join(wrong)


def test_private_names_stay_in_their_modules() -> None:
    wrong = [
        str(each)
        for each in imports()
        if each.module in source_files()
        and any(
            part.startswith("_") and not part.startswith("__")
            for part in (*each.module.split("."), each.name)
        )
    ]
    assert not wrong, "\n".join(wrong)


def test_the_test_sees_imports_wherever_they_are() -> None:
    lazy = [each for each in imports_of("cli.main") if each.module == "graphs"]
    typed = [each for each in imports_of("groundwalk") if each.name == "build_graph"]
    assert lazy and typed
