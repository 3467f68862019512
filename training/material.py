"""What a model is trained on: questions of a file or of the graph, the same for the same seed."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from random import Random

from ..agent.errors import DatasetError
from ..agent.kg import KnowledgeGraph, open_kg
from ..agent.kg.nodes import lexical_form
from ..agent.kg.opening import WORLD
from ..agent.kg.store import class_labels
from ..agent.llm.prompt import mask
from .asked.lesson_stream import draw, lesson_stream
from .asked.paraphrase import Chat, mixed, reword
from .asked.question_files import asked_questions
from .asked.supervision import Lesson, Supervision, supervise
from .fitting.exams import calibration_samples
from .queries.lessons import QueryLessons, query_lessons
from .queries.operators import Operators, load_clause_words, load_operator_words
from .queries.question import text_of
from .queries.questions import QueryQuestioner
from .queries.skeletons import Skeleton, check_names, read_skeletons
from .queries.variation import load_modifiers
from .questions.compose import Composer
from .questions.graph import Graph, load_graph
from .questions.questioner import Mix, Questioner, Sample, make_questioner
from .questions.unanswerable import Refuser
from .recipe import Recipe
from .trainer.watched import Watcher
from .wording.english import Texts, load_english
from .wording.phrasebook import Unanswerable, make_phrasebook

_HELD_OUT = 200
_FEW = 60
"""Generated questions that a graph of hardly any entities is judged by."""
_WATCHED = 48
"""Held-out questions that tell how a run goes."""
_UNANSWERABLE = 0.06
_TOKENIZER_SAMPLES = 20_000


@dataclass(frozen=True)
class Material:
    """The questions of a training; `held_out` and `watched` lessons are not among `lessons`."""

    questioner: Questioner
    supervision: Supervision | None
    lessons: tuple[Lesson, ...]
    held_out: tuple[Lesson, ...]
    watched: tuple[Lesson, ...]
    hops: int
    noise: float
    seed: int
    new: bool = True
    """Whether the model is a new one, which knows no other texts."""
    reworded: tuple[Lesson, ...] = ()
    """Generated questions in other words."""
    queries: QueryQuestioner | None = None
    """What composes questions with queries, where these are learnt."""

    @property
    def graph(self) -> Graph:
        """The graph that is asked about."""
        return self.questioner.graph

    def samples(self, seed: int) -> Iterator[Sample]:
        """Training samples without end."""
        share = _UNANSWERABLE if self.lessons else self.questioner.mix.unanswerable
        return self.with_unanswerable(share, seed)

    def with_unanswerable(self, share: float, seed: int) -> Iterator[Sample]:
        """Samples without end, a share of them without an answer."""
        if not self.lessons:
            questions = self.questioner.refusing(share).stream(seed)
            if not self.reworded:
                return questions
            return mixed(questions, self.reworded, self.questioner, noise=self.noise, seed=seed)
        return lesson_stream(
            self.lessons,
            self.questioner,
            noise=self.noise,
            unanswerable=share,
            seed=seed,
            new=self.new,
        )

    def judged(self) -> list[Sample]:
        """Samples that calibrate and score the trained model."""
        if not self.held_out:
            count = min(3 * _HELD_OUT, _FEW + 5 * len(self.graph.terms))
            return calibration_samples(self.questioner, count, self.seed + 2)
        rng = Random(f"judged {self.seed}")
        drawn = _drawn(self.questioner, self.held_out, rng)
        clear = self.questioner.undisturbed()
        refused = [clear.unanswerable(rng) for _ in range(len(self.held_out) // 3 + 1)]
        return drawn + refused

    def watched_samples(self) -> list[Sample]:
        """A few samples with an answer, by which a run is watched, and stopped."""
        if self.watched:
            return _drawn(self.questioner, self.watched, Random(f"watched {self.seed}"))
        answerable = (s for s in self.questioner.stream(self.seed + 3) if s.moves)
        return list(islice(answerable, _WATCHED))

    def texts(self, *, masked: bool) -> Iterator[str]:
        """What a tokenizer is trained on: questions, and names as they follow an arrow."""
        for sample in islice(self.samples(self.seed + 1), _TOKENIZER_SAMPLES):
            yield mask(sample.question, sample.mentions)[0].lower() if masked else sample.question
        if self.queries:
            for question in islice(self.queries.stream(self.seed + 1), _TOKENIZER_SAMPLES):
                yield text_of(word for word in question.words if not word.names)
        for name in dict.fromkeys((*self.graph.labels, *self.graph.names)):
            for _ in range(3):
                yield f" {name}"


def open_graph(kg_source: str, recipe: Recipe, watcher: Watcher) -> KnowledgeGraph:
    """The graph as the recipe reads it; what was left out of it is told.

    Raises KGError where it cannot be read.
    """
    kg = open_kg(
        kg_source,
        profile=recipe.profile,
        languages=recipe.languages,
        reading=recipe.reading,
        on_broken=recipe.on_broken,
    )
    if kg.left_out.note:
        watcher.say(kg.left_out.note)
    return kg


def gather(
    kg: KnowledgeGraph, kg_source: str, recipe: Recipe, chat: Chat | None = None
) -> Material:
    """Read or make the questions of a recipe; `chat` rewords those that are made.

    Raises KGError, DatasetError, InputError, and ServiceError where the chat model does not answer.
    """
    asked = asked_questions(recipe)
    graph = load_graph(kg, returns=recipe.revisits == "walk")
    taught = QueryLessons(walks=tuple(asked))
    if "query" in recipe.formats:
        taught = query_lessons(kg, graph, asked, recipe.hops or 3)
    supervision = _supervision(kg, graph, recipe, taught) if recipe.supervised else None
    hops = recipe.hops or (supervision.hops if supervision else 3)
    default = None if recipe.phrasebook or supervision else default_phrasebook(kg_source)
    with default or nullcontext() as packaged:
        questioner = questioner_for(
            kg,
            graph,
            recipe.phrasebook or packaged,
            hops=hops,
            seed=recipe.seed,
            noise=recipe.noise,
            every=not supervision,
        )
    lessons = supervision.lessons if supervision else ()
    lessons, held_out = _hold_out(lessons, f"held out {recipe.seed}")
    watched = held_out[:_WATCHED]
    if recipe.patience:  # what chooses the weights may not also judge them
        lessons, watched = _hold_out(lessons, f"watched {recipe.seed}")
    queries = None
    if "query" in recipe.formats:
        folder = recipe.skeletons or default_skeletons(kg_source)
        queries = replace(query_questioner(kg, questioner, folder), lessons=taught.lessons)
    return Material(
        questioner=questioner,
        supervision=supervision,
        lessons=lessons,
        held_out=held_out,
        watched=watched,
        hops=hops,
        noise=recipe.noise,
        seed=recipe.seed,
        new=not recipe.base,
        reworded=tuple(reword(questioner, chat, seed=recipe.seed)) if chat else (),
        queries=queries,
    )


def _supervision(
    kg: KnowledgeGraph, graph: Graph, recipe: Recipe, taught: QueryLessons
) -> Supervision | None:
    """The lessons of walks; None where there are queries only. Raises DatasetError for neither."""
    if not taught.walks and not taught.lessons:
        reasons = "; ".join(f"{count} {reason}" for reason, count in taught.dropped.items())
        raise DatasetError(f"no question is of use ({reasons})", "check that they fit the graph")
    try:
        supervision = supervise(kg, graph, taught.walks, recipe.hops or 3, recipe.supervision)
    except DatasetError:
        if not taught.lessons:
            raise
        return None
    return replace(supervision, dropped=supervision.dropped + taught.dropped)


def training_questions(kg_source: str, *, seed: int = 0, count: int = 10_000) -> Iterator[Sample]:
    """Questions like those of a training, to measure how far a test set is from them."""
    kg = open_kg(kg_source)
    graph = load_graph(kg)
    with default_phrasebook(kg_source) or nullcontext() as phrasebook:
        questioner = questioner_for(kg, graph, phrasebook, hops=3, seed=seed)
    yield from islice(questioner.stream(seed), count)


def questioner_for(
    kg: KnowledgeGraph,
    graph: Graph,
    phrasebook: Path | None,
    *,
    hops: int,
    seed: int,
    noise: float = 0.5,
    every: bool = True,
) -> Questioner:
    """What composes questions over a graph, with a phrasebook or without."""
    english = load_english()
    book = make_phrasebook(graph, english, phrasebook, relation_aliases(kg, graph))
    return make_questioner(
        graph, book, english, hops=hops, seed=seed, mix=Mix(noise=noise), every=every
    )


def default_phrasebook(kg_source: str) -> AbstractContextManager[Path] | None:
    """The phrasebook that comes with the bundled graph."""
    if kg_source != WORLD:
        return None
    return as_file(files("groundwalk.data.world").joinpath("phrasebook.toml"))


def default_skeletons(kg_source: str) -> Path | None:
    """The folder of questions with queries that comes with the bundled graph."""
    if kg_source != WORLD:
        return None
    return Path(str(files("groundwalk.data.world").joinpath("queries")))


def query_questioner(kg: KnowledgeGraph, plain: Questioner, folder: Path | None) -> QueryQuestioner:
    """What composes questions with queries, from the skeletons of a folder among others.

    Raises InputError for skeletons that cannot be read, or that the graph has no names for.
    """
    terms = {word.text: word.term for word in class_labels(kg.labels)}
    graph = plain.graph
    skeletons = list[Skeleton]()
    for file in sorted(folder.glob("*.txt")) if folder else ():
        file_skeletons = read_skeletons(file)
        check_names(file, file_skeletons, relations=graph.labels, classes=terms, kinds=graph.nodes)
        skeletons += file_skeletons
    composer = _beyond_queries(plain.composer, plain.graph)
    refuser = Refuser(composer, plain.refuser.known, walks_only=False)
    plain = replace(plain, refuser=refuser)
    words = load_operator_words(), load_clause_words()
    operators = Operators(plain.graph, plain.shapes, plain.composer, *words, terms)
    return QueryQuestioner(plain, tuple(skeletons), load_modifiers(), terms, operators)


_COMPUTED = re.compile(
    r"\b(?:how (?:many|long|high)|number of|most|more|total|average|\w{3,}est)\b"
)
"""Of what nobody can answer by a walk, what a query may compute."""


def _beyond_queries(composer: Composer, graph: Graph) -> Composer:
    """A composer whose questions without an answer have none as queries either.

    Counts and extremes of what the graph holds go, and so do words around which a query can say
    the rest.
    """
    book, english = composer.book, composer.english
    nouns = [noun for kind in graph.nodes for noun in book.nouns(kind)]
    words = {word for noun in nouns for word in (noun.one, noun.many)}
    words |= {word for label in graph.labels for word in label.split() if len(word) > 3}
    named = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, words)))})s?\b")

    def beyond(texts: Texts) -> Texts:
        return tuple(text for text in texts if not (_COMPUTED.search(text) and named.search(text)))

    unanswerable = {
        kind: Unanswerable(attribute=beyond(asked.attribute), ask=beyond(asked.ask))
        for kind, asked in book.unanswerable.items()
    }
    near = book.near and replace(book.near, modifier=(), era=())
    sections = {name: beyond(texts) or texts for name, texts in english.unanswerable.items()}
    return replace(
        composer,
        book=replace(book, unanswerable=unanswerable, near=near),
        english=replace(english, unanswerable=sections),
    )


def relation_aliases(kg: KnowledgeGraph, graph: Graph) -> dict[str, list[str]]:
    """Other names that the graph gives its relations, by label."""
    labels = dict(zip(graph.relations, graph.labels, strict=True))
    aliases: dict[str, list[str]] = {}
    for predicate in kg.profile.aliases:
        for triple in kg.store.statements(predicate):
            if triple.head in labels:
                aliases.setdefault(labels[triple.head], []).append(lexical_form(triple.tail))
    return {label: sorted(set(names)) for label, names in aliases.items()}


def _hold_out(
    lessons: tuple[Lesson, ...], name: str
) -> tuple[tuple[Lesson, ...], tuple[Lesson, ...]]:
    """The lessons to train on, and a twentieth of them that are not."""
    count = min(len(lessons) // 20, _HELD_OUT)
    held = frozenset(Random(name).sample(range(len(lessons)), count))
    return (
        tuple(lesson for index, lesson in enumerate(lessons) if index not in held),
        tuple(lesson for index, lesson in enumerate(lessons) if index in held),
    )


def _drawn(questioner: Questioner, lessons: tuple[Lesson, ...], rng: Random) -> list[Sample]:
    drawn = [draw(questioner, lesson, rng, 0.0) for lesson in lessons]
    return [sample for sample in drawn if sample]
