"""Training a small path model for a graph, from generated questions or from a question file."""

import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from ..agent.decoding.wire import PATH, PLAN, TRIPLE, Wire
from ..agent.errors import InputError
from ..agent.kg import KnowledgeGraph, open_kg
from ..agent.kg.folder import WORLD
from ..agent.kg.nodes import lexical_form
from ..agent.kg.profile import GENERIC, Profile
from ..agent.kg.reading import Reading
from ..agent.llm.local import SETTINGS_FILE, LocalModel, ModelSettings, write_settings
from ..agent.llm.prompt import mask
from ..evaluation.readers import read_jsonl, read_world
from ..evaluation.samples import Sample as Question
from .calibrate import calibration_samples, confidence_of, judge
from .card import write_card
from .encode import Encoded, Encoder
from .english import load_english
from .graph import Graph, load_graph
from .phrasebook import make_phrasebook
from .questions import Mix, Questioner, Sample, make_questioner
from .report import TrainReport, score
from .supervision import Lesson, Supervision, draw, lesson_stream, read_questions, select, supervise
from .tuning import tuned_threshold

if TYPE_CHECKING:
    from .model import Size
    from .trainer import Progress, Schedule

GENERATED_STEPS = 4000
SUPERVISED_STEPS = 800
FORMATS: dict[str, Wire] = {"path": PATH, "plan": PLAN, "chain": TRIPLE}
"""The formats that a model can learn, by name."""
METHODS = {"path": "gcr", "plan": "plan", "chain": "dog"}
"""The method that calibrates each."""
SHARES = {"path": 0.6, "plan": 0.2, "chain": 0.2}
"""How much of the training each gets where all are learnt."""
_HELD_OUT = 200
_TOKENIZER_SAMPLES = 20_000
_NOISE = 0.5


def train(
    kg_source: str,
    out: Path,
    *,
    profile: Profile = GENERIC,
    languages: Sequence[str] = (),
    reading: Reading | None = None,
    questions: Path | None = None,
    part: str = "all",
    limit: int | None = None,
    phrasebook: Path | None = None,
    tuning: Path | None = None,
    hops: int | None = None,
    steps: int | None = None,
    seed: int = 0,
    noise: float = _NOISE,
    formats: Sequence[str] = tuple(FORMATS),
    schedule: "Schedule | None" = None,
    size: "Size | None" = None,
    on_progress: "Progress | None" = None,
) -> TrainReport:
    """Train a model and write its folder, which appears only when it is complete.

    `profile`, `languages` and `reading` are as for `open_kg`. `part` and `limit` choose from
    `questions`; `hops` is the longest path (default 3); `formats` are what it learns to write,
    `path` among them. The confidence threshold is fitted on the questions in `tuning`, which are
    not trained on; the bundled graph has some, and without any, questions like those of the
    training serve. Raises KGError, DatasetError or InputError when the input is wrong.
    """
    _check_out(out)
    _check_formats(formats)
    bundled = kg_source == WORLD and not questions
    hand_written = read_jsonl(tuning) if tuning else read_world("tuning") if bundled else ()
    asked = select(read_questions(questions), part, limit, seed) if questions else []
    kg = open_kg(kg_source, profile=profile, languages=languages, reading=reading)
    graph = load_graph(kg)
    supervision = supervise(kg, graph, asked, hops or 3) if questions else None
    longest = hops or (supervision.hops if supervision else 3)
    book = default_phrasebook(kg_source) if phrasebook is None and not questions else None
    with book or _nothing() as packaged:
        questioner = questioner_for(
            kg, graph, phrasebook or packaged, hops=longest, seed=seed, noise=noise
        )
    return _train(
        kg,
        questioner,
        supervision,
        hand_written,
        out,
        longest,
        steps,
        seed,
        noise,
        formats,
        schedule,
        size,
        on_progress,
    )


def training_questions(
    kg_source: str, phrasebook: Path | None = None, *, seed: int = 0, count: int = 10_000
) -> Iterator[Sample]:
    """The questions that `train` would generate, to measure how far a test set is from them."""
    kg = open_kg(kg_source)
    graph = load_graph(kg)
    with (default_phrasebook(kg_source) if phrasebook is None else None) or _nothing() as packaged:
        questioner = questioner_for(kg, graph, phrasebook or packaged, hops=3, seed=seed)
    yield from islice(questioner.stream(seed), count)


def questioner_for(
    kg: KnowledgeGraph,
    graph: Graph,
    phrasebook: Path | None,
    *,
    hops: int,
    seed: int,
    noise: float = _NOISE,
) -> Questioner:
    """What composes questions over a graph, with a phrasebook or without."""
    english = load_english()
    book = make_phrasebook(graph, english, phrasebook, relation_aliases(kg, graph))
    return make_questioner(graph, book, english, hops=hops, seed=seed, mix=Mix(noise=noise))


def default_phrasebook(kg_source: str) -> AbstractContextManager[Path] | None:
    """The phrasebook that comes with the bundled graph."""
    if kg_source != WORLD:
        return None
    return as_file(files("groundwalk.data.world").joinpath("phrasebook.toml"))


def relation_aliases(kg: KnowledgeGraph, graph: Graph) -> dict[str, list[str]]:
    """Other names that the graph gives its relations, by label."""
    labels = dict(zip(graph.relations, graph.labels, strict=True))
    found: dict[str, list[str]] = {}
    for predicate in kg.profile.aliases:
        for triple in kg.store.statements(predicate):
            if triple.head in labels:
                found.setdefault(labels[triple.head], []).append(lexical_form(triple.tail))
    return {label: sorted(set(names)) for label, names in found.items()}


def _train(
    kg: KnowledgeGraph,
    questioner: Questioner,
    supervision: Supervision | None,
    hand_written: Sequence[Question],
    out: Path,
    hops: int,
    steps: int | None,
    seed: int,
    noise: float,
    formats: Sequence[str],
    schedule: "Schedule | None",
    size: "Size | None",
    on_progress: "Progress | None",
) -> TrainReport:
    from transformers.utils.logging import disable_progress_bar

    from .model import Size, new_model
    from .tokenizer import train_tokenizer
    from .trainer import Schedule, has_fast_bfloat16, train_model

    started = time.monotonic()
    disable_progress_bar()
    lessons, held_out = _hold_out(supervision, seed)
    stream = _stream(questioner, lessons, noise, seed)
    texts = _texts(_stream(questioner, lessons, noise, seed + 1), questioner.graph)
    tokenizer = train_tokenizer(texts, kinds=questioner.graph.kinds)
    encoder = Encoder(questioner.graph, tokenizer)
    model = new_model(
        len(tokenizer), size or Size(), seed, eos=encoder.units.eos, pad=encoder.units.pad
    )
    default = Schedule(
        steps=steps or (SUPERVISED_STEPS if supervision else GENERATED_STEPS),
        bfloat16=has_fast_bfloat16(),
    )
    trained = train_model(
        model,
        _encoded(encoder, stream, formats, seed),
        schedule or default,
        seed=seed,
        pad=encoder.units.pad,
        on_progress=on_progress,
    )
    settings = ModelSettings(
        hops=hops,
        inverse=True,
        masked=True,
        instruct=False,
        formats=tuple(formats),
        chains="walk",
        kg=kg.digest,
    )
    local = LocalModel("trained just now", model.eval(), tokenizer, settings)
    samples = _judged_samples(questioner, held_out, seed)
    judged = {name: judge(kg, local, questioner.graph, samples, METHODS[name]) for name in formats}
    thresholds = {
        name: tuned_threshold(kg, local, hand_written, METHODS[name])
        if hand_written
        else round(confidence_of(own), 4)
        for name, own in judged.items()
    }
    settings = replace(settings, confidence=thresholds["path"], confidences=thresholds)
    report = TrainReport(
        out=out,
        kg=kg.source,
        settings=settings,
        scores=score(judged["path"], settings.confidence),
        steps=trained.steps,
        loss=round(trained.loss, 4),
        seconds=round(time.monotonic() - started, 1),
        parameters=sum(p.numel() for p in model.parameters()),
        seed=seed,
        stopped=trained.stopped,
        source="questions with answers" if supervision else "generated questions",
        lessons=len(lessons),
        dropped=dict(supervision.dropped) if supervision else {},
    )
    with _replaced(out) as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        write_settings(folder, settings)
        write_card(folder, report)
        for file in folder.iterdir():
            file.chmod(0o644)
    return report


def _encoded(
    encoder: Encoder, samples: Iterator[Sample], formats: Sequence[str], seed: int
) -> Iterator[Encoded]:
    """Each sample in one of the formats, drawn by their shares."""
    rng = Random(f"formats {seed}")
    wires, shares = [FORMATS[name] for name in formats], [SHARES[name] for name in formats]
    for sample in samples:
        (wire,) = rng.choices(wires, shares)
        yield encoder.encode(sample, wire)


def _check_formats(formats: Sequence[str]) -> None:
    """The path format is what a model is measured by, so it is always among them."""
    if unknown := [name for name in formats if name not in FORMATS]:
        raise InputError(f"there is no format {unknown[0]!r}", f"formats: {', '.join(FORMATS)}")
    if "path" not in formats:
        raise InputError("a model learns the format path at least", "add it to the formats")


def _stream(
    questioner: Questioner, lessons: tuple[Lesson, ...], noise: float, seed: int
) -> Iterator[Sample]:
    if not lessons:
        return questioner.stream(seed)
    return lesson_stream(lessons, questioner, noise=noise, unanswerable=0.06, seed=seed)


def _hold_out(
    supervision: Supervision | None, seed: int
) -> tuple[tuple[Lesson, ...], tuple[Lesson, ...]]:
    """The lessons to train on, and a twentieth of them to calibrate on."""
    lessons = supervision.lessons if supervision else ()
    count = min(len(lessons) // 20, _HELD_OUT)
    held = frozenset(Random(f"held out {seed}").sample(range(len(lessons)), count))
    return (
        tuple(lesson for place, lesson in enumerate(lessons) if place not in held),
        tuple(lesson for place, lesson in enumerate(lessons) if place in held),
    )


def _judged_samples(
    questioner: Questioner, held_out: tuple[Lesson, ...], seed: int
) -> list[Sample]:
    if not held_out:
        return calibration_samples(questioner, 3 * _HELD_OUT, seed + 2)
    rng = Random(f"judged {seed}")
    drawn = [draw(questioner, lesson, rng, 0.0) for lesson in held_out]
    unanswerable = [questioner.unanswerable(rng) for _ in range(len(held_out) // 3 + 1)]
    return [sample for sample in drawn if sample] + unanswerable


def _texts(stream: Iterator[Sample], graph: Graph) -> Iterator[str]:
    """What the tokenizer is trained on: masked questions, and names as they follow an arrow."""
    for sample in islice(stream, _TOKENIZER_SAMPLES):
        yield mask(sample.question, sample.mentions)[0].lower()
    for name in dict.fromkeys((*graph.labels, *graph.names)):
        for _ in range(3):
            yield f" {name}"


def _check_out(out: Path) -> None:
    """An earlier model may be replaced, nothing else."""
    if out.is_file() or (
        out.is_dir() and any(out.iterdir()) and not (out / SETTINGS_FILE).is_file()
    ):
        raise InputError(
            f"{out}: exists and is not a model that groundwalk trained",
            "give another folder for the model",
        )


@contextmanager
def _replaced(out: Path) -> Generator[Path]:
    """A temporary folder that takes the place of `out` when all of it is written."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as temporary:
        fresh = Path(temporary) / "new"
        fresh.mkdir()
        yield fresh
        if out.exists():
            out.rename(Path(temporary) / "old")
        fresh.rename(out)


@contextmanager
def _nothing() -> Generator[None]:
    yield None
