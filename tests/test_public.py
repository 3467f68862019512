"""What `from groundwalk import ...` gives, and what that loads."""

import copy
import doctest
import inspect
import pickle
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import get_args

import groundwalk
import pytest
from groundwalk.agent.events import Event
from groundwalk.agent.records import Kind, Status
from typing_extensions import is_typeddict

ROOT = Path(__file__).parents[1]
PUBLIC = [
    "Answer",
    "AskResult",
    "BusyError",
    "Choice",
    "CompiledGraph",
    "ConstraintError",
    "DatasetError",
    "DiskError",
    "Entity",
    "Event",
    "GraphInput",
    "GraphOutput",
    "GraphPage",
    "GroundwalkError",
    "InputError",
    "KGError",
    "KGRetriever",
    "KnowledgeGraph",
    "MentionRecord",
    "ModelError",
    "NoPathError",
    "Options",
    "QuestionError",
    "RefusedError",
    "Result",
    "ServiceError",
    "ShortageError",
    "State",
    "UnavailableError",
    "__version__",
    "ask_tool",
    "build_graph",
    "describe_graph",
    "kg_of",
    "open_kg",
]
MEMBERS = {
    "CompiledGraph": (
        *("invoke", "ainvoke", "stream", "astream", "batch", "abatch"),
        *("warm", "with_state", "without_line", "line"),
    ),
    "KnowledgeGraph": ("counts", "source", "digest", "profile", "labels", "store", "close"),
}
"""What is used of the classes that nobody makes an object of."""
HEAVY = {"torch", "transformers", "langchain_core", "langgraph"}


def modules_after(script: str, folder: Path = ROOT) -> set[str]:
    """The names of the modules that a new process has loaded after a script."""
    script += "\nimport sys; print(*sys.modules)"
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_public_names() -> None:
    assert groundwalk.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(groundwalk))
    for name in PUBLIC:
        assert getattr(groundwalk, name) is getattr(groundwalk, name)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_the_example_of_a_public_name_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {public: getattr(groundwalk, public) for public in PUBLIC}
    documented = names[name]
    if name == "Event":  # a union of classes, which their module documents
        documented = import_module("groundwalk.agent.events")
    (test,) = doctest.DocTestFinder(recurse=False).find(documented, name, globs=names)
    assert test.examples, "its docstring has no example"
    printed = list[str]()
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append)
    assert not printed, "".join(printed)


def test_every_error_is_public() -> None:
    from groundwalk.agent import errors

    classes = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert classes == {name for name in PUBLIC if name.endswith("Error")}


def test_all_names_can_be_imported_at_once() -> None:
    names = dict[str, object]()
    exec("from groundwalk import *", names)
    assert {*PUBLIC} <= {*names}


def test_a_name_that_there_is_not() -> None:
    said = "module 'groundwalk' has no attribute 'answer'"
    with pytest.raises(AttributeError, match=said):
        _ = groundwalk.answer  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
    assert not hasattr(groundwalk, "__wrapped__")


def test_parts_are_modules_still() -> None:
    from groundwalk.agent import kg

    assert isinstance(groundwalk.agent, ModuleType)
    assert groundwalk.open_kg is kg.open_kg


def test_what_is_public_is_copied_and_pickled() -> None:
    error = groundwalk.KGError("the file is empty", "name another")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.hint) == (type(error), error.message, error.hint)
    options = groundwalk.Options(beams=3)
    assert pickle.loads(pickle.dumps(options)) == copy.copy(options) == options
    assert pickle.loads(pickle.dumps(groundwalk.build_graph)) is groundwalk.build_graph


def test_importing_the_package_loads_next_to_nothing(tmp_path: Path) -> None:
    bare = modules_after("import importlib, pkgutil, typing", tmp_path)
    for folder in (tmp_path, ROOT):
        new = modules_after("import groundwalk", folder) - bare
        assert {module for module in new if not module.startswith("__editable__")} == {"groundwalk"}


@pytest.mark.parametrize("name", ["Options", "InputError", "__version__"])
def test_light_names_load_no_heavy_library(name: str) -> None:
    assert not HEAVY & modules_after(f"from groundwalk import {name}")


@pytest.mark.parametrize("inside", [True, False])
def test_the_parts_load_from_any_folder(inside: bool, tmp_path: Path) -> None:
    script = "from groundwalk import DiskError; import groundwalk.agent.kg.terms, groundwalk.data"
    loaded = modules_after(script, ROOT if inside else tmp_path)
    assert {"groundwalk.agent.errors", "groundwalk.agent.kg.terms", "groundwalk.data"} <= loaded


def use_of(name: str) -> str:
    """How a public name is called, or what it has: its parameters with their defaults, its keys."""
    value = getattr(groundwalk, name)
    if name == "Event":
        return " or ".join(kind.__name__ for kind in get_args(value))
    if is_typeddict(value):
        return ", ".join(value.__annotations__)
    if name in MEMBERS:
        return ", ".join(f".{own}" for own in MEMBERS[name])
    if name == "KGRetriever":  # its other parameters are those of any retriever
        fields = [own for own in value.model_fields if own in value.__annotations__]
        return f"KGRetriever(*, {', '.join(f'{own}=...' for own in fields)})"
    return name + _parameters(inspect.signature(value))


def _parameters(signature: inspect.Signature) -> str:
    """Parameters without their types; a default that is no plain value is `...`."""
    plain = (str, int, float, bool, tuple, type(None), type(inspect.Parameter.empty))

    def is_short(default: object) -> bool:
        return isinstance(default, plain) and len(repr(default)) < 40

    bare = [
        own.replace(
            annotation=inspect.Parameter.empty,
            default=own.default if is_short(own.default) else ...,
        )
        for own in signature.parameters.values()
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return text.replace("Ellipsis", "...").replace("'", '"')


@pytest.mark.parametrize("name", ["open_kg", "kg_of", "build_graph", "describe_graph"])
def test_the_help_of_a_function_begins_with_a_signature_that_can_be_read(name: str) -> None:
    assert len(str(inspect.signature(getattr(groundwalk, name)))) < 1_500


def test_the_members_in_the_reference_are_there() -> None:
    kg = groundwalk.open_kg("world")
    for own, names in ((kg, "KnowledgeGraph"), (groundwalk.build_graph(kg=kg), "CompiledGraph")):
        assert all(hasattr(own, name) for name in MEMBERS[names])


def test_the_reference_has_a_line_and_a_place_for_every_public_name() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    names = [name for name in PUBLIC if name != "__version__"]
    rows = re.findall(r"^\| `(\w+)` \| `(.+)` \| (\w.*) \|$", page, re.MULTILINE)
    assert {name: written for name, written, _ in rows} == {name: use_of(name) for name in names}
    assert len(rows) == len(names)
    assert sorted(re.findall(r"^::: groundwalk\.(\w+)$", page, re.MULTILINE)) == sorted(names)


def test_the_page_has_every_event_with_its_keys_and_every_kind_of_result() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", page, re.MULTILINE)
    named = {name: told for first, told in rows for name in re.findall(r"`(\w+)`", first)}
    for event in get_args(Event):
        (kind,) = get_args(event.__annotations__["event"])
        keys = event.__annotations__.keys() - {"event"}
        assert keys <= {*re.findall(r"`(\w+)`", named[kind])}, kind
    assert {*get_args(Kind)} <= named.keys()
    assert {*get_args(Status)} <= {*re.findall(r"`(\w+)`", named["status"])}
