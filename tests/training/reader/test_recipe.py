"""The recipe of the bundled reader: its stages, and end to end on a little of everything."""

import pickle
from functools import partial
from pathlib import Path

import pytest
import torch
from groundwalk.agent.errors import InputError
from groundwalk.agent.reader.weights import open_reader
from groundwalk.training.reader import lessons as made_lessons
from groundwalk.training.reader import recipe as recipes
from groundwalk.training.reader import thresholds
from groundwalk.training.reader.asked import ASKED, RESEMBLING, asked_graphs
from groundwalk.training.reader.composed import COMPOSED
from groundwalk.training.reader.labelled import LABELLED
from groundwalk.training.reader.learning import Plan, blended
from groundwalk.training.reader.lessons import Lessons, gather_lessons
from groundwalk.training.reader.recipe import LESSONS, ReaderRecipe, main, train_reader
from groundwalk.training.reader.sources import SOURCES, WORD_SOURCES, tuning_databases
from groundwalk.training.reader.stages import STAGES
from rich.console import Console

SMALL = ("spider", "text2cypher", "qald")
WITHOUT = tuple(own.name for own in SOURCES if own.name not in SMALL)


@pytest.fixture(scope="module")
def taught(public_data: Path) -> Lessons:
    """What is learnt, of one graph over each domain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made_lessons, "_VARIANTS", 1)
        return gather_lessons(
            public_data,
            made=2,
            twins=True,
            without=frozenset(WITHOUT),
            seed=0,
            report=lambda _: None,
            workers=2,
        )


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.data("questions", "schemas", "lexicon")
def test_a_reader_is_made_with_its_card(
    tmp_path: Path, public_data: Path, taught: Lessons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "_GRAPHS", 1)
    monkeypatch.setattr(recipes, "asked_graphs", partial(asked_graphs, most=1))
    kept = tmp_path / "reader.partial" / LESSONS
    kept.parent.mkdir()
    kept.write_bytes(pickle.dumps(taught))
    recipe = ReaderRecipe(steps=(4, *[2] * (len(STAGES) - 1)), width=16, made=2, without=WITHOUT)
    out = tmp_path / "reader"
    train_reader(recipe, public_data, out, Console(quiet=True))
    reader = open_reader(str(out))
    assert 0 <= reader.settings.threshold <= 1
    assert reader.load().lexicon.meanings
    card = (out / "README.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in card for name in SMALL)
    assert not any(f"| {name} |" in card for name in WITHOUT)
    assert all(f"| {own.path} |" in card for own in WORD_SOURCES)
    with pytest.raises(InputError, match="another recipe"):
        train_reader(ReaderRecipe(width=32), public_data, out, Console(quiet=True))
    assert not (tmp_path / "reader.partial" / "plain.pt").exists()


@pytest.mark.slow
@pytest.mark.data("questions", "schemas", "lexicon")
def test_nothing_is_learnt_of_what_is_kept_apart(public_data: Path, taught: Lessons) -> None:
    unseen = tuning_databases(public_data) | {"neo4j-gameofthrones", "neo4j-northwind"}
    learnt = {own.schema for several in taught.examples.values() for own in several}
    assert learnt
    assert not learnt & (unseen | {f"of:{name}" for name in unseen})
    kept = {own.name for own in taught.apart}
    assert kept
    assert taught.watched
    assert not kept & {name.split(":")[1] for name in learnt if name.startswith("worded:")}


def test_weights_on_the_way_from_some_to_others() -> None:
    first, last = {"a": torch.tensor([0.0, 2.0])}, {"a": torch.tensor([4.0, 2.0])}
    assert blended(first, last, 0.25)["a"].tolist() == [1.0, 2.0]


def test_the_middle_of_a_stage_is_told_of() -> None:
    for stage in STAGES:
        if stage.middle is not None:
            assert stage.middle % Plan().heard == 0
            assert 0 <= stage.middle < stage.steps


def test_a_mean_is_with_an_earlier_stage() -> None:
    names = [stage.name for stage in STAGES]
    for index, stage in enumerate(STAGES):
        assert not stage.mean_with or stage.mean_with in names[1 : index + 1]


def test_what_a_stage_draws_more_often_are_sources() -> None:
    known = {source.name for source in SOURCES} | {COMPOSED, LABELLED, ASKED, RESEMBLING}
    assert all(stage.more.keys() <= known for stage in STAGES)


def test_more_numbers_of_steps_than_stages_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GROUNDWALK_DATA", str(tmp_path))
    numbers = ["1"] * (len(STAGES) + 1)
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "out"), "--steps", *numbers])
    assert f"there are {len(STAGES)} stages" in capsys.readouterr().err


def test_stages_that_are_not_said_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWALK_DATA", str(tmp_path))
    made = list[ReaderRecipe]()

    def noted(recipe: ReaderRecipe, *_: object) -> None:
        made.append(recipe)

    monkeypatch.setattr(recipes, "train_reader", noted)
    main([str(tmp_path / "out"), "--steps", "16", "2"])
    main([str(tmp_path / "out")])
    assert made[0].steps == (16, 2, *[0] * (len(STAGES) - 2))
    assert made[1].steps == tuple(stage.steps for stage in STAGES)
