"""The account of a question's words: what of the query each word made.

A small model that is trained beside a reader of queries points from words to actions. It reads the
words of the question and the actions of the query together, and gives each word a share of every
action, of asking nothing (filler), and of asking what the query leaves out (unread). Words are read
by their letters, so that unseen words differ from the seen ones, and resemble those they look like.
Of a word that no training question had it is not known that it asks nothing: such a filler is
unknown, unless it is misspelt.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..linking.words import COMMON_WORDS, FUNCTION_WORDS, singular
from ..llm.model_folder import model_folder
from ..operations import NUMPY, layer_norm, linear, log_softmax
from ..records import Word
from .actions import Action, literal_pointers, pointed_at
from .phrases import plural
from .prompt import Numbered
from .question import Asked
from .word_reader import NoAccount, Weighed, WordReader, by_unread

UNREAD, UNKNOWN, FILLER = "unread", "unknown", "filler"
LEFT_OUT = (UNREAD, UNKNOWN)
"""What the words are used by that a query leaves out."""
ACCOUNT_FILE = "account.safetensors"
ACCOUNT_SETTINGS = "account.json"
BUCKETS = 12288
"""Rows of the table of words and pieces of words."""
WIDTH, TABLE_WIDTH, HEADS, LAYERS = 96, 48, 4, 2
MOST_PARTS = 96
"""Words and actions that are read together."""
MOST_PIECES = 14
"""Rows of a word or an action."""
SPECIAL = 2
"""Shares before those of the actions: unread, and filler."""
_SURE_FILLER = 0.95
"""The share of asking nothing with which a word that was never seen is filler all the same."""
_LIKE = 0.8
"""How like a known word is to a misspelt one, as `difflib` measures it."""
_SHORTEST_MISSPELT = 5
"""Letters of a word that may be a misspelt one: shorter words are all alike."""
_WORD = re.compile(r"\w+(?:['’.-]\w+)*['’]?|[^\w\s]+")

Rows: TypeAlias = tuple[int, ...]
"""A word or an action as the model reads it: the rows of its pieces in the table."""


def account_beside(source: str, kg: KnowledgeGraph) -> WordReader:
    """The account beside the weights of a model, with the names of a graph; or `NoAccount`.

    Raises ModelError for a broken one.
    """
    try:
        folder = model_folder(source)
    except ModelError:  # a model that was made here
        folder = None
    if folder is None:
        return NoAccount()
    try:
        return read_account(folder, names_of(kg)) or NoAccount()
    except Exception as error:  # the libraries raise many kinds for a broken file
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"{folder}: the account of words cannot be read ({reason})", "copy its folder again"
        ) from error


def names_of(kg: KnowledgeGraph) -> Callable[[str], str]:
    """The display names of relations and classes, looked up once each; empty for an empty term."""

    @cache
    def name(term: str) -> str:
        return kg.walk_labels.names([term])[0] if term else ""

    return name


def is_read(words: Sequence[Word]) -> bool:
    """Whether the query makes anything of any word."""
    return any(word["used_by"] not in (*LEFT_OUT, FILLER) for word in words)


def share_read(words: Sequence[Word]) -> float:
    """Of the words of a question that ask something, the share that its query makes something of.

    0 where none does, and 1 where nothing is known of any word.
    """
    asking = [word for word in words if word["used_by"] != FILLER]
    read = sum(word["used_by"] not in LEFT_OUT for word in asking)
    return read / max(len(asking), 1) if words else 1.0


def unread(words: Sequence[Word], uses: Collection[str] = (UNREAD,)) -> list[str]:
    """The texts that the query leaves out; words that stand side by side are one text.

    `uses` are those of the words that count as left out.
    """
    texts, end = list[str](), -1
    for word in words:
        if word["used_by"] not in uses:
            continue
        if texts and word["start"] == end + 1:
            texts[-1] = f"{texts[-1]} {word['text']}"
        else:
            texts.append(word["text"])
        end = word["end"]
    return texts


def read_as_classes(words: Sequence[Word], classes: Iterable[str]) -> list[Word]:
    """The words, where one that names a class of what the query walks through counts as read.

    `classes` are names of classes that a query speaks of without an action of their own.
    """
    called = {form.casefold(): name for name in classes for form in (name, plural(name))}
    read = list[Word]()
    for word in words:
        class_ = called.get(word["text"].casefold()) if word["used_by"] in LEFT_OUT else None
        read.append({**word, "used_by": class_} if class_ else word)
    return read


def count_apart(words: Sequence[Word], class_: str) -> list[Word]:
    """The words of a count of the last answers, where a plural of other things is left out.

    *How many rivers are there?* is no question for the three people before. `class_` is what the
    answers are; people, things and the like may be anything.
    """
    forms = {form.casefold() for form in (class_, plural(class_))}
    remaining_words = list[Word]()
    for word in words:
        text = normalise(word["text"])
        one = singular(text)
        is_other = one != text and text not in forms and not {text, one} & COMMON_WORDS
        is_counted = word["used_by"] == "operator" and is_other and text not in FUNCTION_WORDS
        remaining_words.append({**word, "used_by": "unread"} if is_counted else word)
    return remaining_words


# What the model reads


class QuestionWord(NamedTuple):
    """A word of a question; `mention` is the number of the mention that it is."""

    start: int
    end: int
    mention: int | None = None


def question_words(question: str, mentions: Sequence[Numbered]) -> list[QuestionWord]:
    """The words of a question; a mention is one word."""
    words, end = list[QuestionWord](), 0
    for number, mention in sorted(enumerate(mentions), key=lambda numbered: numbered[1].start):
        words += _words_between(question, end, mention.start)
        words.append(QuestionWord(mention.start, mention.end, number))
        end = mention.end
    return words + _words_between(question, end, len(question))


def _words_between(question: str, start: int, end: int) -> list[QuestionWord]:
    matches = _WORD.finditer(question, start, end)
    return [QuestionWord(*match.span()) for match in matches if any(map(str.isalnum, match[0]))]


def word_parts(
    question: str,
    words: Sequence[QuestionWord],
    mentions: Sequence[Numbered],
    actions: Sequence[Action],
) -> list[Rows]:
    """What the model reads of each word: its letters; of a mention its class, and if it is used."""
    pointed = pointed_at(actions)
    rows_of_words = list[Rows]()
    for word in words:
        if word.mention is None:
            rows_of_words.append(rows_of(question[word.start : word.end].lower()))
        else:
            mention = mentions[word.mention]
            used = "used" if word.mention in pointed else "idle"
            letters = rows_of(mention.shown.lower()) if mention.shown else ()
            rows = (row(f"mention:{used}"), row(f"kind:{mention.kind}"), *letters)
            rows_of_words.append(rows[:MOST_PIECES])
    return rows_of_words


def action_parts(actions: Sequence[Action], label: Callable[[str], str]) -> list[Rows]:
    """What the model reads of each action: its kind, and the words of the name that it has."""
    pointers = literal_pointers(actions)
    rows_of_actions = list[Rows]()
    for index, action in enumerate(actions):
        name = f"{action.number}" if index in pointers else label(action.name)
        words = [piece for word in name.lower().split() for piece in rows_of(word)]
        way = (row("inverse"),) if action.inverse else ()
        rows_of_actions.append((row(f"action:{action.kind}"), *way, *words)[:MOST_PIECES])
    return rows_of_actions


def rows_of(word: str) -> Rows:
    """The rows of a word in the account's table."""
    return letter_rows(word, BUCKETS)


def row(text: str) -> int:
    """The row of a text in the account's table."""
    return _row_in(BUCKETS, text)


@lru_cache(maxsize=100_000)
def letter_rows(word: str, buckets: int) -> Rows:
    """The rows of a word in a table of that size: of the whole word, and of its trigrams."""
    marked = f"^{word}$"
    trigrams = [marked[start : start + 3] for start in range(max(1, len(marked) - 2))]
    rows = [_row_in(buckets, text) for text in (f"word:{word}", *trigrams)]
    return tuple(dict.fromkeys(rows))[:MOST_PIECES]


def _row_in(buckets: int, text: str) -> int:
    """The row of a text; row 0 is padding."""
    return 1 + crc32(text.encode()) % (buckets - 1)


# The model

Weights: TypeAlias = Mapping[str, NDArray[np.float32]]


def log_shares(weights: Weights, rows: NDArray[np.int64], words: int) -> NDArray[np.float32]:
    """The logarithms of the shares of each part of a reading, `(readings, parts, SPECIAL + parts)`.

    `rows (readings, parts, pieces)` are those of a question's words and then of a query's actions.
    """
    some = (rows > 0).astype(np.float32)[..., None]
    table = (weights["table.weight"][rows] * some).sum(-2) / some.sum(-2).clip(min=1)
    position = np.arange(rows.shape[1])
    is_action = position >= words
    hidden = linear(weights, "widened", table) + weights["kinds.weight"][is_action.astype(np.int64)]
    hidden = hidden + weights["places.weight"][np.where(is_action, position - words, position)]
    is_row_used = np.asarray(rows.any(-1))
    for number in range(LAYERS):
        name = f"layers.layers.{number}"
        normed = layer_norm(weights, f"{name}.norm1", hidden)
        joint = normed @ weights[f"{name}.self_attn.in_proj_weight"].T
        joint = joint + weights[f"{name}.self_attn.in_proj_bias"]
        heads = joint.reshape(*is_row_used.shape, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
        mixed = NUMPY.attention(heads[0], heads[1], heads[2], is_row_used[:, None, None])
        mixed = mixed.swapaxes(1, 2).reshape(*is_row_used.shape, -1)
        hidden = hidden + linear(weights, f"{name}.self_attn.out_proj", mixed)
        inner = linear(weights, f"{name}.linear1", layer_norm(weights, f"{name}.norm2", hidden))
        hidden = hidden + linear(weights, f"{name}.linear2", inner.clip(min=0))
    offers = linear(weights, "offers", hidden)
    scores = linear(weights, "asks", hidden) @ offers.swapaxes(-1, -2) / np.float32(WIDTH**0.5)
    scores = np.where((is_row_used & is_action)[:, None], scores, np.float32(-np.inf))
    return log_softmax(np.concatenate([linear(weights, "special", hidden), scores], -1))


def padded(readings: Sequence[Sequence[Rows]]) -> NDArray[np.int64]:
    """The rows of words and actions, `(readings, parts, pieces)`; 0 is padding."""
    most = max(map(len, readings), default=0)
    rows = np.zeros((len(readings), most, MOST_PIECES), np.int64)
    for reading, parts in zip(rows, readings, strict=True):
        for index, part in enumerate(parts):
            reading[index, : len(part)] = part
    return rows


class LearntAccount:
    """A `WordReader` that was trained beside a model."""

    def __init__(
        self,
        weights: Weights,
        threshold: float,
        label: Callable[[str], str],
        known_words: Sequence[str] = (),
    ) -> None:
        """`threshold` is the least share with which a word is unread; `label` names terms.

        `known_words` are those of its training, in small letters. Without any, no word is unknown.
        """
        self._weights = weights
        self._threshold = threshold
        self._label = label
        self._known = dict.fromkeys(known_words)

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; empty where they are too many to be read."""
        words = question_words(question, mentions)
        if not words or len(words) + len(actions) > MOST_PARTS:
            return []
        shares, pointed = self.shares(question, words, mentions, actions), pointed_at(actions)
        account = list[Word]()
        for word, word_shares in zip(words, shares, strict=True):
            if word.mention in pointed:
                is_value = mentions[word.mention].kind in ("number", "date", "text")
                used_by = "value" if is_value else "mention"
            else:
                used_by = self._used_by(word_shares, actions)
            text = question[word.start : word.end]
            if used_by == FILLER and word.mention is None and word_shares[1] < _SURE_FILLER:
                used_by = FILLER if self._knows(text.lower()) else UNKNOWN
            account.append(Word(text=text, start=word.start, end=word.end, used_by=used_by))
        return account

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], readings: Sequence[Sequence[Action]]
    ) -> list[float]:
        """Of each query, the largest share of being unread of a word that it does not point at."""
        words, most = question_words(question, mentions), [0.0] * len(readings)
        fitting = [
            n for n, actions in enumerate(readings) if len(words) + len(actions) <= MOST_PARTS
        ]
        if not words or not fitting:
            return most
        shares = self._shares(question, words, mentions, [readings[n] for n in fitting])
        for number, unread in zip(fitting, shares[..., 0].tolist(), strict=True):
            pointed = pointed_at(readings[number])
            pairs = zip(words, unread, strict=True)
            most[number] = max((s for word, s in pairs if word.mention not in pointed), default=0.0)
        return most

    def weighed(
        self,
        asked: Asked,
        readings: Sequence[Sequence[Action]],
        probabilities: Sequence[float],
    ) -> list[Weighed]:
        """The queries weighed by the words that they leave out."""
        unread = self.most_unread(asked.question, asked.mentions.numbered, readings)
        return by_unread(probabilities, unread)

    def shares(
        self,
        question: str,
        words: Sequence[QuestionWord],
        mentions: Sequence[Numbered],
        actions: Sequence[Action],
    ) -> list[list[float]]:
        """For each word the shares of unread, of filler and of each action."""
        (shares,) = self._shares(question, words, mentions, [actions])
        return shares.tolist()

    def _shares(
        self,
        question: str,
        words: Sequence[QuestionWord],
        mentions: Sequence[Numbered],
        readings: Sequence[Sequence[Action]],
    ) -> NDArray[np.float32]:
        """The shares under each query, `(readings, words, SPECIAL + actions)`."""
        rows = padded(
            [
                [
                    *word_parts(question, words, mentions, actions),
                    *action_parts(actions, self._label),
                ]
                for actions in readings
            ]
        )
        shares = np.exp(log_shares(self._weights, rows, len(words)))[:, : len(words)]
        return np.delete(shares, np.s_[SPECIAL : SPECIAL + len(words)], -1)

    def _knows(self, word: str) -> bool:
        """Whether training had the word, or one that it is misspelt from."""
        if not self._known or word in self._known:
            return True
        if len(word) < _SHORTEST_MISSPELT:
            return False
        as_long = [known for known in self._known if abs(len(known) - len(word)) <= 1]
        return bool(get_close_matches(word, as_long, 1, _LIKE))

    def _used_by(self, shares: Sequence[float], actions: Sequence[Action]) -> str:
        if shares[0] >= self._threshold:
            return UNREAD
        best = max(range(1, len(shares)), key=shares.__getitem__)
        if best < SPECIAL:
            return FILLER
        name = actions[best - SPECIAL].name
        return self._label(name) if name else "operator"


def read_account(folder: Path, label: Callable[[str], str]) -> LearntAccount | None:
    """The account beside a model's weights; None where there is none.

    Raises ValueError, KeyError or OSError for files that are broken, or what safetensors raises.
    """
    if not (folder / ACCOUNT_FILE).is_file():
        return None
    from safetensors.numpy import load_file

    settings: Mapping[str, Any] = json.loads(
        (folder / ACCOUNT_SETTINGS).read_text(encoding="utf-8")
    )
    stored = load_file(folder / ACCOUNT_FILE)
    if stored["table.weight"].shape != (BUCKETS, TABLE_WIDTH):
        raise ValueError("its weights have other sizes")
    weights = {name: array.astype(np.float32) for name, array in stored.items()}
    known = [str(word) for word in settings.get("known", ())]
    return LearntAccount(weights, float(settings["threshold"]), label, known)


def write_account(
    folder: Path, weights: Weights, threshold: float, known_words: Sequence[str] = ()
) -> None:
    """Write the account beside a model's weights, in half precision, with the words it knows."""
    from safetensors.numpy import save_file

    halves = {name: array.astype(np.float16, order="C") for name, array in weights.items()}
    save_file(halves, folder / ACCOUNT_FILE)
    write_settings(folder, threshold, known_words)


def write_settings(folder: Path, threshold: float, known_words: Sequence[str] = ()) -> None:
    """Write what an account is read with beside its weights."""
    content = {"threshold": round(threshold, 4)} | (
        {"known": list(known_words)} if known_words else {}
    )
    text = json.dumps(content, ensure_ascii=False, indent=0)
    (folder / ACCOUNT_SETTINGS).write_text(text + "\n", encoding="utf-8")
