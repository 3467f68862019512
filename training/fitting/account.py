"""Training of the account of words: which of a question's words made which action of its query.

The generator knows which words ask nothing and which no query can say; which action each of the
others made is aligned over many questions. Of some questions the query is not the right one: what
it leaves out is unread.

`python -m groundwalk.training.fitting.account FOLDER` counts anew which words the account of the
bundled model knows, in a minute, and writes them into its folder.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ...agent.kg import open_kg
from ...agent.query.account import (
    ACCOUNT_SETTINGS,
    MOST_PARTS,
    SPECIAL,
    QuestionWord,
    Rows,
    action_parts,
    question_words,
    word_parts,
    write_settings,
)
from ...agent.query.actions import Action, pointed_at
from ..material import gather
from ..queries.questions import QueryQuestioner
from ..queries.typed import TypedQuestion, typed_question
from ..queries.variation import with_unknown_name
from ..recipe import Recipe
from ..trainer.watched import Watcher, counted
from .alignment import Alignment, Misread, Pair, align, misread
from .thresholds import share_above

if TYPE_CHECKING:
    from torch import Tensor

    from .pointer import Pointer

_UNREAD, _FILLER = 0, 1
_BATCH = 64
_RATE = 2e-3
_ALIGNED = 12_000
_JUDGED = 1_500
_MISREAD = 0.3
"""How many questions are shown with a query that is not theirs."""
_UNKNOWN = 0.08
"""How many have a name that nobody has."""
_COUNTED = 60_000
"""Questions whose words are counted."""
_LEAST_KNOWN = 1e-4
"""In how many of them a word is at least to be known; misspelt ones are rarer."""
KNOWN_SEED = 7
"""What the seed of those questions is more than that of the material."""
FLAGGED = 0.05
"""How many of the questions that a query says whole may be told to be read in part."""


class Lesson(NamedTuple):
    """What is read of a question, and for each of its words the share that is right, if known."""

    words: list[Rows]
    actions: list[Rows]
    targets: list[int | None]


def train_account(
    questioner: QueryQuestioner,
    label: Callable[[str], str],
    watcher: Watcher,
    *,
    steps: int,
    seed: int,
) -> "tuple[Pointer, float]":
    """A trained model of the account, and the least share with which a word is unread."""
    import torch

    from .pointer import Pointer

    torch.manual_seed(seed)
    taught = islice(_asked(questioner, seed), _ALIGNED)
    alignment = align(pair_of(asked, label) for asked in taught)
    model = Pointer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps)
    lessons = _lessons(questioner, alignment, label, seed + 1)
    model.train()
    for _ in counted(range(steps), steps, "the account of words", watcher):
        loss = _loss(model, list(islice(lessons, _BATCH)))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.eval()
    right = filter(
        None, (lesson_of(question, alignment, label) for question in _asked(questioner, seed + 2))
    )
    return model, share_above(shares_of_whole(model, list(islice(right, _JUDGED))), FLAGGED)


def known_words(questioner: QueryQuestioner, seed: int) -> list[str]:
    """The words that questions with an answer have, but those that their queries leave out."""
    counts = Counter[str]()
    for asked in islice(_asked(questioner, seed), _COUNTED):
        words = question_words(asked.question, asked.mentions)
        read = (word for word in words if word.mention is None and _use(asked, word) != "unread")
        counts.update(_text(asked, word) for word in read)
    return sorted(word for word, times in counts.items() if times >= _LEAST_KNOWN * _COUNTED)


def shares_of_whole(model: "Pointer", lessons: Sequence[Lesson]) -> list[float]:
    """Of the questions that are read whole, how surely some word is unread at the most."""
    import torch

    from .pointer import batched

    most = list[float]()
    with torch.inference_mode():
        for lesson in lessons:
            if _UNREAD not in lesson.targets:
                logs = model(*batched([(lesson.words, lesson.actions)]))
                known = [n for n, target in enumerate(lesson.targets) if target is not None]
                most.append(float(logs[0, known, _UNREAD].exp().max()) if known else 0.0)
    return most


def _loss(model: "Pointer", lessons: Sequence[Lesson]) -> "Tensor":
    import torch

    from .pointer import batched

    logs = model(*batched([(lesson.words, lesson.actions) for lesson in lessons]))
    targets = torch.full(logs.shape[:2], -100)
    for number, lesson in enumerate(lessons):
        for position, target in enumerate(lesson.targets):
            if target is not None:
                moved = target + len(lesson.words) if target >= SPECIAL else target
                targets[number, position] = moved
    return torch.nn.functional.nll_loss(logs.flatten(0, 1), targets.flatten(), ignore_index=-100)


def _asked(questioner: QueryQuestioner, seed: int) -> Iterator[TypedQuestion]:
    """Questions that the graph answers, as somebody would type them."""
    typed = filter(None, map(typed_question, questioner.stream(seed)))
    return (question for question in typed if question.actions is not None)


def _lessons(
    questioner: QueryQuestioner, alignment: Alignment, label: Callable[[str], str], seed: int
) -> Iterator[Lesson]:
    """Lessons on queries that are right, and on those that are not."""
    rng, graph = Random(f"account {seed}"), questioner.graph
    relations = [(relation, inverse) for relation in graph.relations for inverse in (False, True)]
    for question in questioner.stream(seed):
        chance, shown = rng.random(), question
        if chance < _UNKNOWN:
            shown = with_unknown_name(question, graph.names, questioner.terms, rng)
        asked = shown and typed_question(shown)
        if asked is None or asked.actions is None:
            continue
        wrong = None
        if chance > 1 - _MISREAD and (wrong := misread(asked.actions, relations, rng)) is None:
            continue
        lesson = lesson_of(asked, alignment, label, wrong)
        if lesson is not None and (wrong is None or _UNREAD in lesson.targets):
            yield lesson


def lesson_of(
    asked: TypedQuestion,
    alignment: Alignment,
    label: Callable[[str], str],
    wrong: Misread | None = None,
) -> Lesson | None:
    """What is right for the words of a question, read as its query or as one that is wrong.

    None where there is no query, or too much.
    """
    actions = asked.actions or ()
    shown, origins = wrong or (actions, range(len(actions)))
    words = question_words(asked.question, asked.mentions)
    if not shown or not words or len(words) + len(shown) > MOST_PARTS:
        return None
    moved = {old: new for new, old in enumerate(origins) if old is not None}
    others = [action_name(action, label) for action in shown]
    pointed, lost = pointed_at(shown), pointed_at(actions) - pointed_at(shown)
    targets = list[int | None]()
    for word in words:
        target = _target(asked, word, alignment, label)
        if word.mention in pointed:
            target = None
        elif word.mention in lost:
            target = _UNREAD
        elif target >= SPECIAL:
            index = target - SPECIAL
            if index in moved:
                target = SPECIAL + moved[index]
            else:
                name = action_name(actions[index], label)
                is_lost = alignment.is_of(_text(asked, word), name, others)
                target = _UNREAD if is_lost else None
        targets.append(target)
    return Lesson(
        word_parts(asked.question, words, asked.mentions, shown),
        action_parts(shown, label),
        targets,
    )


def _target(
    asked: TypedQuestion, word: QuestionWord, alignment: Alignment, label: Callable[[str], str]
) -> int:
    """The share that is right for a word, where the query is."""
    use = _use(asked, word)
    if use in ("unread", "filler"):
        return _UNREAD if use == "unread" else _FILLER
    actions = asked.actions or ()
    named = {n: name for n, action in enumerate(actions) if (name := action_name(action, label))}
    best = alignment.best(_text(asked, word), list(named.values()))
    return _FILLER if best is None else SPECIAL + list(named)[best]


def _text(asked: TypedQuestion, word: QuestionWord) -> str:
    return asked.question[word.start : word.end].lower()


def _use(asked: TypedQuestion, word: QuestionWord) -> str:
    spans = (span for span in asked.spans if span.start < word.end and word.start < span.end)
    return next((span.use for span in spans), "filler")


def pair_of(asked: TypedQuestion, label: Callable[[str], str]) -> Pair:
    """The words that made the query, and the names of its actions."""
    words = question_words(asked.question, asked.mentions)
    used = [word for word in words if word.mention is None and _use(asked, word) == "used"]
    names = (action_name(action, label) for action in asked.actions or ())
    return [_text(asked, word) for word in used], list(filter(None, names))


def action_name(action: Action, label: Callable[[str], str]) -> str:
    """What tells actions apart that words may be drawn from; nothing of others."""
    if action.number is not None or action.kind == "end":
        return ""
    if not action.name:
        return action.kind
    is_extreme = action.kind in ("most", "least")
    return f"{action.kind} {label(action.name)}" if is_extreme else label(action.name)


def main(arguments: Sequence[str]) -> None:
    """Count the words of the bundled graph's questions, and write the known ones into a folder."""
    (folder,) = map(Path, arguments)
    settings = json.loads((folder / ACCOUNT_SETTINGS).read_text(encoding="utf-8"))
    kg = open_kg("world")
    material = gather(kg, "world", Recipe(formats=("path", "query")))
    assert material.queries is not None
    known = known_words(material.queries, material.seed + KNOWN_SEED)
    kg.close()
    write_settings(folder, settings["threshold"], known)
    print(f"{len(known):,} known words")


if __name__ == "__main__":
    main(sys.argv[1:])
