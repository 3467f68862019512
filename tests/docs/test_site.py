"""The documentation as a site: it builds without a warning, and loads nothing from elsewhere."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import groundwalk
import pytest
from mkdocs.exceptions import PluginError

from .pages import DOCS, ROOT


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "docs" / "site_hooks.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def moved(hooks: Any, uri: str, markdown: str) -> str:
    """A page of the site, with its links changed."""
    page = SimpleNamespace(file=SimpleNamespace(src_uri=uri))
    return hooks.on_page_markdown(markdown, page, None, None)


@pytest.mark.parametrize(
    ("uri", "link", "target"),
    [
        ("index.md", "docs/graphs.md#names", "graphs.md#names"),
        ("index.md", "CONTRIBUTING.md", "repository/CONTRIBUTING.md"),
        ("graphs.md", "queries.md", "queries.md"),
        ("graphs.md", "../README.md#two-commands", "index.md#two-commands"),
        ("python.md", "../examples/lcel.py", "repository/examples/lcel.py.md"),
        ("results.md", "../data/exams/README.md", "repository/data/exams/README.md"),
        ("repository/data/exams/README.md", "../../docs/queries.md", "../../../queries.md"),
        ("repository/ARCHITECTURE.md", "docs/methods.md", "../methods.md"),
        ("asking.md", "#evidence", "#evidence"),
        ("asking.md", "https://example.org/a", "https://example.org/a"),
    ],
)
def test_a_link_leads_where_its_target_is(hooks: Any, uri: str, link: str, target: str) -> None:
    assert moved(hooks, uri, f"See [it]({link}).") == f"See [it]({target})."


def test_links_in_code_are_left_alone(hooks: Any) -> None:
    code = "```\n[a](../README.md)\n```\n"
    assert moved(hooks, "graphs.md", code) == code


def test_a_link_to_nothing_ends_the_build(hooks: Any) -> None:
    with pytest.raises(PluginError, match=r"docs/graphs\.md: there is no \.\./nowhere\.md"):
        moved(hooks, "graphs.md", "[a](../nowhere.md)")


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_loads_nothing(tmp_path: Path) -> None:
    shutil.rmtree(ROOT / "build" / "types", ignore_errors=True)  # as in a fresh checkout
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in DOCS:
        assert (tmp_path / Path(page).stem / "index.html").is_file()
    reference = (tmp_path / "reference" / "index.html").read_text(encoding="utf-8")
    for name in set(groundwalk.__all__) - {"__version__"}:
        assert f'id="groundwalk.{name}"' in reference, name
    for page in tmp_path.rglob("*.html"):
        loaded = r'(?:\ssrc|<link[^>]*\shref)="(?:https?:)?//[^"]*"'
        assert not re.findall(loaded, page.read_text(encoding="utf-8")), page
