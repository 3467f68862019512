"""The account of a question's words: what of the query each word made.

A small model that is trained beside a reader of queries points from words to actions. It reads the
words of the question and the actions of the query together, and gives each word a share of every
action, of asking nothing (filler), and of asking what the query leaves out (unread). Words are read
by their letters, so that unseen words differ from the seen ones, and resemble those they look like.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias
from zlib import crc32

from ..errors import ModelError
from ..kg import KnowledgeGraph
from ..llm.model_folder import model_folder
from ..records import Word
from .actions import Action, literal_pointers, pointed_at
from .prompt import Numbered

if TYPE_CHECKING:
    from torch import Tensor, nn

UNREAD, FILLER = "unread", "filler"
ACCOUNT_FILE = "account.safetensors"
_SETTINGS = "account.json"
BUCKETS = 12288
"""Rows of the table of words and pieces of words."""
WIDTH, TABLE_WIDTH, HEADS, LAYERS = 96, 48, 4, 2
MOST_PARTS = 96
"""Words and actions that are read together."""
MOST_PIECES = 14
"""Rows of a word or an action."""
SPECIAL = 2
"""Shares before those of the actions: unread, and filler."""
_WORD = re.compile(r"\w+(?:['’.-]\w+)*['’]?|[^\w\s]+")

Rows: TypeAlias = tuple[int, ...]
"""A word or an action as the model reads it: the rows of its pieces in the table."""


class WordReader(Protocol):
    """Says of each word of a question what of its query it made."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; empty where nothing is known of them.

        A word that asks something which the query leaves out is `unread`.
        """
        ...

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> float:
        """The largest share of being unread among the words that the query does not point at.

        0 where nothing is known of the words.
        """
        ...


class NoAccount:
    """The `WordReader` of models without an account: nothing is known of any word."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """No words."""
        return []

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> float:
        """Always 0."""
        return 0.0


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
    return any(word["used_by"] not in (UNREAD, FILLER) for word in words)


def unread(words: Sequence[Word]) -> list[str]:
    """The texts that the query leaves out; words that stand side by side are one text."""
    texts, end = list[str](), -1
    for word in words:
        if word["used_by"] != UNREAD:
            continue
        if texts and word["start"] == end + 1:
            texts[-1] = f"{texts[-1]} {word['text']}"
        else:
            texts.append(word["text"])
        end = word["end"]
    return texts


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
    parts = list[Rows]()
    for word in words:
        if word.mention is None:
            parts.append(rows_of(question[word.start : word.end].lower()))
        else:
            mention = mentions[word.mention]
            used = "used" if word.mention in pointed else "idle"
            letters = rows_of(mention.shown.lower()) if mention.shown else ()
            rows = (row(f"mention:{used}"), row(f"kind:{mention.kind}"), *letters)
            parts.append(rows[:MOST_PIECES])
    return parts


def action_parts(actions: Sequence[Action], label: Callable[[str], str]) -> list[Rows]:
    """What the model reads of each action: its kind, and the words of the name that it has."""
    pointers = literal_pointers(actions)
    parts = list[Rows]()
    for index, action in enumerate(actions):
        name = f"{action.number}" if index in pointers else label(action.name)
        words = [piece for word in name.lower().split() for piece in rows_of(word)]
        way = (row("inverse"),) if action.inverse else ()
        parts.append((row(f"action:{action.kind}"), *way, *words)[:MOST_PIECES])
    return parts


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


def make_model() -> "nn.Module":
    """A new model, which takes what `batched` makes.

    It gives the logarithms of the shares of each part, `(batch, parts, SPECIAL + parts)`.
    """
    import torch
    from torch import nn

    class Pointer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.EmbeddingBag(BUCKETS, TABLE_WIDTH, mode="mean", padding_idx=0)
            self.widened = nn.Linear(TABLE_WIDTH, WIDTH)
            self.kinds = nn.Embedding(2, WIDTH)
            self.places = nn.Embedding(MOST_PARTS, WIDTH)  # a name of the trained weights
            layer = nn.TransformerEncoderLayer(
                WIDTH, HEADS, 2 * WIDTH, dropout=0.1, batch_first=True, norm_first=True
            )
            self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
            self.asks = nn.Linear(WIDTH, WIDTH)
            self.offers = nn.Linear(WIDTH, WIDTH)
            self.special = nn.Linear(WIDTH, SPECIAL)

        def forward(self, rows: "Tensor", words: "Tensor") -> "Tensor":
            batch, parts, pieces = rows.shape
            table = self.table(rows.reshape(batch * parts, pieces)).view(batch, parts, -1)
            position = torch.arange(parts, device=rows.device)[None]
            is_action = position >= words[:, None]
            start = torch.where(is_action, words[:, None], 0)
            embedded = self.widened(table) + self.kinds(is_action.long())
            is_padding = (rows == 0).all(-1)
            hidden = self.layers(
                embedded + self.places(position - start), src_key_padding_mask=is_padding
            )
            scores = self.asks(hidden) @ self.offers(hidden).transpose(1, 2) / WIDTH**0.5
            scores = scores.masked_fill((is_padding | ~is_action)[:, None], float("-inf"))
            return torch.cat([self.special(hidden), scores], -1).log_softmax(-1)

    return Pointer()


def batched(questions: Sequence[tuple[Sequence[Rows], Sequence[Rows]]]) -> "tuple[Tensor, Tensor]":
    """The rows `(batch, parts, pieces)` and the numbers of words `(batch)` of some questions.

    Each question is its words and its actions.
    """
    import torch

    longest = max(len(words) + len(actions) for words, actions in questions)
    rows = torch.zeros(len(questions), longest, MOST_PIECES, dtype=torch.long)
    for number, (words, actions) in enumerate(questions):
        for index, part in enumerate((*words, *actions)):
            rows[number, index, : len(part)] = torch.tensor(part, dtype=torch.long)
    return rows, torch.tensor([len(words) for words, _ in questions])


class LearntAccount:
    """A `WordReader` that was trained beside a model."""

    def __init__(self, model: "nn.Module", threshold: float, label: Callable[[str], str]) -> None:
        """`threshold` is the least share with which a word is unread; `label` names terms."""
        self._model = model
        self._threshold = threshold
        self._label = label

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; empty where they are too many to be read."""
        words = question_words(question, mentions)
        if not words or len(words) + len(actions) > MOST_PARTS:
            return []
        shares, pointed = self.shares(question, words, mentions, actions), pointed_at(actions)
        account = list[Word]()
        for word, of_word in zip(words, shares, strict=True):
            if word.mention in pointed:
                is_value = mentions[word.mention].kind in ("number", "date", "text")
                used_by = "value" if is_value else "mention"
            else:
                used_by = self._used_by(of_word, actions)
            text = question[word.start : word.end]
            account.append(Word(text=text, start=word.start, end=word.end, used_by=used_by))
        return account

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> float:
        """The largest share of being unread among the words that the query does not point at."""
        words, pointed = question_words(question, mentions), pointed_at(actions)
        if not words or len(words) + len(actions) > MOST_PARTS:
            return 0.0
        shares = zip(words, self.shares(question, words, mentions, actions), strict=True)
        unpointed = (share[0] for word, share in shares if word.mention not in pointed)
        return max(unpointed, default=0.0)

    def shares(
        self,
        question: str,
        words: Sequence[QuestionWord],
        mentions: Sequence[Numbered],
        actions: Sequence[Action],
    ) -> list[list[float]]:
        """For each word the shares of unread, of filler and of each action."""
        import torch

        parts = word_parts(question, words, mentions, actions)
        with torch.inference_mode():
            logs = self._model(*batched([(parts, action_parts(actions, self._label))]))
        shares: list[list[float]] = logs[0, : len(words)].exp().tolist()
        return [share[:SPECIAL] + share[SPECIAL + len(words) :] for share in shares]

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

    Raises ValueError or OSError for files that are broken.
    """
    if not (folder / ACCOUNT_FILE).is_file():
        return None
    import torch
    from safetensors.torch import load_file

    settings: Mapping[str, Any] = json.loads((folder / _SETTINGS).read_text(encoding="utf-8"))
    model = make_model()
    weights = load_file(folder / ACCOUNT_FILE)
    model.load_state_dict({name: weight.to(torch.float32) for name, weight in weights.items()})
    return LearntAccount(model.eval(), float(settings["threshold"]), label)


def write_account(folder: Path, model: "nn.Module", threshold: float) -> None:
    """Write the account beside a model's weights, in half precision."""
    import torch
    from safetensors.torch import save_file

    weights = {
        name: weight.to(torch.float16).contiguous() for name, weight in model.state_dict().items()
    }
    save_file(weights, folder / ACCOUNT_FILE)
    text = json.dumps({"threshold": round(threshold, 4)}, indent=2)
    (folder / _SETTINGS).write_text(text + "\n", encoding="utf-8")
