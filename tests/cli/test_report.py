"""`groundwalk eval report` as a user meets it."""

from pathlib import Path

import pytest
import typer
from groundwalk.agent.errors import InputError
from groundwalk.cli.evaluate import report
from typer.testing import CliRunner

from ..evaluation.report.runs import config, records, write_run

app = typer.Typer()
app.command()(report)


def test_one_page_for_several_runs(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / "a"), write_run(tmp_path / "b")]
    done = CliRunner().invoke(app, [str(folder) for folder in folders])
    assert done.exit_code == 0
    page = tmp_path / "a" / "report.html"
    assert f"14 results of 2 runs: {page} (0.1 MB)" in done.output
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert not (tmp_path / "b" / "report.html").exists()


def test_where_it_is_written_and_what_is_missing(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", records()[:2], config(7))
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, [str(folder), "--out", str(page)])
    assert done.exit_code == 0
    assert "not finished: gcr: 2 of 7 questions" in done.output
    assert "2 results of 1 run:" in done.output
    assert page.is_file() and not (folder / "report.html").exists()


def test_all_results_as_a_table(tmp_path: Path) -> None:
    folder, table = write_run(tmp_path / "run"), tmp_path / "all.csv"
    assert CliRunner().invoke(app, [str(folder), "--export", str(table)]).exit_code == 0
    assert len(table.read_text(encoding="utf-8").splitlines()) == 1 + 7
    assert (folder / "report.html").is_file()


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path) -> None:
    for arguments in (
        [str(tmp_path / "nowhere")],
        [str(tmp_path)],
        [str(write_run(tmp_path / "run")), "--out", str(tmp_path / "no" / "page.html")],
        [str(write_run(tmp_path / "run")), "--export", str(tmp_path / "no" / "all.csv")],
        [str(write_run(tmp_path / "run")), "--export", str(tmp_path / "all.txt")],
    ):
        error = CliRunner().invoke(app, arguments).exception
        assert isinstance(error, InputError)
        assert "\n" not in error.message and error.hint


def test_without_a_directory(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, []).exit_code == 2


@pytest.mark.parametrize("name", ["report.html", "config.json"])
def test_folders_in_the_way(tmp_path: Path, name: str) -> None:
    folder = write_run(tmp_path / "run")
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()
    assert isinstance(CliRunner().invoke(app, [str(folder)]).exception, InputError)
