"""What is installed: every requirement has bounds, and the lock is what constraints.txt says."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
CI = {"sys_platform": "linux", "platform_machine": "x86_64", "python_full_version": "3.11.7"}
PARTS = ("agent", "cli", "data", "evaluation", "graphs", "groundwalk", "prompts", "training")
COME_WITH = {
    "anyio": "mcp",
    "dotenv": "pydantic-settings",
    "markupsafe": "jinja2",
    "openai": "langchain-openai",
    "pydantic": "pydantic-settings",
    "typing-extensions": "pydantic-settings",
    "uvicorn": "mcp",
}
"""Packages that the code imports, each with the requirement that always brings it."""
MAC = {"sys_platform": "darwin", "platform_machine": "arm64", "python_full_version": "3.13.1"}


def required() -> Iterator[Requirement]:
    """All requirements of the project but its own extras."""
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    for texts in (PROJECT["build-system"]["requires"], project["dependencies"], *extras):
        yield from (own for text in texts if (own := Requirement(text)).name != project["name"])


def pins() -> dict[str, str]:
    """The versions of constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


class Locked(NamedTuple):
    """A requirement of the lock, its version and the hashes of its files."""

    requirement: Requirement
    version: Version
    hashes: list[str]


def locked(**platform: str) -> dict[str, Locked]:
    """The requirements of the lock on a platform."""
    found = dict[str, Locked]()
    for entry in LOCK.replace(" \\\n    --hash=", " --hash=").splitlines():
        text, *hashes = entry.split(" --hash=")
        requirement = Requirement(text)
        (pin,) = requirement.specifier
        assert pin.operator == "==", text
        if requirement.marker is None or requirement.marker.evaluate(platform):
            assert requirement.name not in found
            found[canonicalize_name(requirement.name)] = Locked(
                requirement, Version(pin.version), hashes
            )
    return found


@pytest.mark.parametrize("requirement", list(required()), ids=str)
def test_a_requirement_has_a_lowest_and_an_end(requirement: Requirement) -> None:
    operators = sorted(own.operator for own in requirement.specifier)
    assert operators == ["<", ">="], "write NAME>=OLDEST,<END"


@pytest.mark.parametrize("platform", [CI, MAC], ids=["Linux", "macOS"])
def test_the_lock_meets_every_requirement(platform: dict[str, str]) -> None:
    held = locked(**platform)
    for requirement in required():
        own = held[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(own.version), str(own.requirement)


def test_the_lock_has_the_versions_of_the_constraints_and_no_more() -> None:
    here = {name: own.version.public for name, own in locked(**CI).items()}
    assert here == pins(), "run ./dev lock"
    there = {name: own.version.public for name, own in locked(**MAC).items()}
    assert there.items() <= pins().items()


@pytest.mark.parametrize("platform", [CI, MAC], ids=["Linux", "macOS"])
def test_every_file_has_a_hash_and_no_place(platform: dict[str, str]) -> None:
    for name, own in locked(**platform).items():
        assert own.hashes, name
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in own.hashes), name
        assert own.requirement.url is None
    assert not re.search(r"://|^\s*-[if]|--index|--find|--extra-index", LOCK, re.MULTILINE)


def test_torch_is_its_cpu_build_without_libraries_for_gpus() -> None:
    assert locked(**CI)["torch"].version.local == "cpu"
    assert locked(**MAC)["torch"].version.local is None
    for platform in (CI, MAC):
        assert not [name for name in locked(**platform) if name.startswith(("nvidia", "cuda"))]


def test_what_is_imported_is_required_or_of_an_extra() -> None:
    files = (file for part in PARTS for file in (ROOT / part).rglob("*.py"))
    names = {canonicalize_name(own.name) for own in required()}
    missing = {name for name in imported(files) if COME_WITH.get(name, name) not in names}
    assert not missing - {"groundwalk", "typeshed"}


def test_the_extra_of_the_benchmarks_has_what_they_import() -> None:
    names = installed_with("bench") | installed_with("mcp")
    files = (ROOT / "evaluation" / "benchmarks").glob("*.py")
    assert {name for name in imported(files) if COME_WITH.get(name, name) not in names} == set()
    assert {"marisa-trie", "torch", "transformers"} <= names


def test_hints_name_extras_that_there_are() -> None:
    extras = PROJECT["project"]["optional-dependencies"].keys()
    texts = [
        file.read_text(encoding="utf-8") for part in PARTS for file in (ROOT / part).rglob("*.py")
    ]
    texts += [file.read_text(encoding="utf-8") for file in (ROOT / "docs").glob("*.md")]
    found = {name for text in texts for name in re.findall(r"(?:groundwalk|\.)\[(\w+)\]'", text)}
    assert {"data", "train", "mcp"} <= found <= extras


def imported(files: Iterable[Path]) -> set[str]:
    """The packages that files import, anywhere in them."""
    names = set[str]()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {own.name for own in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module)
    tops = {name.partition(".")[0] for name in names}
    return {canonicalize_name(name.strip("_")) for name in tops - sys.stdlib_module_names}


def installed_with(extra: str) -> set[str]:
    """The requirements of the project, and those of an extra with the extras that it names."""
    project = PROJECT["project"]
    own = [Requirement(text) for text in project["optional-dependencies"][extra]]
    names = {canonicalize_name(one.name) for one in own if one.name != project["name"]}
    inner = [name for one in own if one.name == project["name"] for name in one.extras]
    basic = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    return basic | names.union(*map(installed_with, inner))
