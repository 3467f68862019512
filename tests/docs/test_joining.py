"""What somebody meets who joins: workflow, forms, hooks, changelog and addresses."""

import os
import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from .pages import ROOT, read

PROJECT: dict[str, Any] = tomllib.loads(read("pyproject.toml"))["project"]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
FIELDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def loaded(page: str) -> Any:
    return yaml.safe_load(read(page))


def test_the_workflow_runs_what_ci_runs_and_may_only_read() -> None:
    workflow = loaded(".github/workflows/ci.yml")
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    run = [step["run"] for step in job["steps"] if "run" in step]
    assert run == [".ci/run"]
    assert os.access(ROOT / run[0], os.X_OK)
    assert job["timeout-minutes"] * 60 > sum(
        map(int, re.findall(r"=60 (\d+) \./dev", read(run[0])))
    )


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_can_be_filled_in(form: Path) -> None:
    told = yaml.safe_load(form.read_text(encoding="utf-8"))
    if form.stem == "config":
        assert told == {"blank_issues_enabled": True}
        return
    assert told["name"] and told["description"]
    assert {field["type"] for field in told["body"]} <= FIELDS
    asked = [field for field in told["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in asked)
    assert len({field["id"] for field in asked}) == len(asked)


def test_the_hooks_fetch_nothing_and_run_tools_of_the_setup() -> None:
    file = ".pre-commit-config.yaml"
    check = [sys.executable, "-m", "pre_commit", "validate-config", file]
    subprocess.run(check, cwd=ROOT, check=True)
    tools = {re.split(r"[\[<>=]", own)[0] for own in PROJECT["optional-dependencies"]["dev"]}
    (repository,) = loaded(file)["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        assert Path(hook["entry"].split()[0]).parts[:2] == (".venv", "bin")
        assert Path(hook["entry"].split()[0]).name in tools


def test_the_changelog_has_the_usual_form() -> None:
    first, *versions = re.findall(r"^## (.*)$", read("CHANGELOG.md"), re.MULTILINE)
    assert first == "Unreleased"
    pairs = [own.split(" - ") for own in versions]
    assert pairs[0][0] == PROJECT["version"]
    numbers = [tuple(map(int, version.split("."))) for version, _ in pairs]
    dates = [date.fromisoformat(day) for _, day in pairs]
    assert numbers == sorted(numbers, reverse=True) and dates == sorted(dates, reverse=True)
    assert set(re.findall(r"^### (.*)$", read("CHANGELOG.md"), re.MULTILINE)) <= set(KINDS)


def test_addresses_are_real_where_there_are_any() -> None:
    for name, address in PROJECT["urls"].items():
        assert re.fullmatch(r"https://(?!.*example)[\w.-]+\.\w+/\S*", address), name
