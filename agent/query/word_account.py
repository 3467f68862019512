"""The learnt account of a question's words: a small model points from each word to what it made.

It reads the words of the question and the actions of the query together, and gives each word a
share of every action, of asking nothing (filler), and of asking what the query leaves out (unread).
Words are read by their letters, so that one that was never seen is not like those that were.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..state import Word
from .account import FILLER, UNREAD
from .actions import LITERAL, Action
from .letters import MOST_PIECES, letter_rows, row_in
from .prompt import Numbered

if TYPE_CHECKING:
    from torch import Tensor, nn

ACCOUNT_FILE = "account.safetensors"
_SETTINGS = "account.json"
BUCKETS = 12288
"""Rows of the table of words and pieces of words."""
WIDTH, TABLE_WIDTH, HEADS, LAYERS = 96, 48, 4, 2
MOST_PARTS = 96
"""Words and actions that are read together."""
SPECIAL = 2
"""Shares before those of the actions: unread, and filler."""
_WORD = re.compile(r"\w+(?:['’.-]\w+)*['’]?|[^\w\s]+")


class Part(NamedTuple):
    """A word or an action as the model reads it: the rows of its pieces."""

    rows: tuple[int, ...]


class Place(NamedTuple):
    """A word of a question; `mention` is the number of the mention that it is."""

    start: int
    end: int
    mention: int | None = None


def places_of(question: str, mentions: Sequence[Numbered]) -> list[Place]:
    """The words of a question; a mention is one word."""
    order = sorted(range(len(mentions)), key=lambda number: mentions[number].start)
    places, end = list[Place](), 0
    for number in order:
        own = mentions[number]
        places += _words(question, end, own.start)
        places.append(Place(own.start, own.end, number))
        end = own.end
    return places + _words(question, end, len(question))


def _words(question: str, start: int, end: int) -> list[Place]:
    found = _WORD.finditer(question, start, end)
    return [Place(*own.span()) for own in found if any(map(str.isalnum, own[0]))]


def word_parts(
    question: str,
    places: Sequence[Place],
    mentions: Sequence[Numbered],
    actions: Sequence[Action],
) -> list[Part]:
    """What the model reads of each word: its letters; of a mention its class, and if it is used."""
    pointed = pointed_at(actions)
    parts = list[Part]()
    for own in places:
        if own.mention is None:
            parts.append(Part(rows_of(question[own.start : own.end].lower())))
        else:
            used = "used" if own.mention in pointed else "idle"
            shown = mentions[own.mention].shown
            rows = rows_of(shown.lower()) if shown else ()
            mark = row(f"mention:{used}"), row(f"kind:{mentions[own.mention].kind}")
            parts.append(Part((*mark, *rows)[:MOST_PIECES]))
    return parts


def action_parts(actions: Sequence[Action], label: Callable[[str], str]) -> list[Part]:
    """What the model reads of each action: its kind, and the words of the name that it has."""
    parts = list[Part]()
    for place, own in enumerate(actions):
        literal = place and actions[place - 1].kind in LITERAL
        name = f"{own.number}" if literal and own.number is not None else label(own.name)
        words = [piece for word in name.lower().split() for piece in rows_of(word)]
        way = (row("inverse"),) if own.inverse else ()
        parts.append(Part((row(f"action:{own.kind}"), *way, *words)[:MOST_PIECES]))
    return parts


def pointed_at(actions: Sequence[Action]) -> frozenset[int]:
    """The numbers of the mentions that actions point at."""
    return frozenset(
        own.number
        for place, own in enumerate(actions)
        if own.number is not None and not (place and actions[place - 1].kind in LITERAL)
    )


def rows_of(word: str) -> tuple[int, ...]:
    """The rows of a word: of all of it, and of three letters each."""
    return letter_rows(word, BUCKETS)


def row(text: str) -> int:
    """The row of a text in the table; 0 is kept for nothing."""
    return row_in(BUCKETS, text)


def make_model() -> "nn.Module":
    """A new model; it takes rows `(batch, parts, pieces)` and the number of words of each question.

    It gives the logarithm of the shares of each part `(batch, parts, SPECIAL + parts)`.
    """
    import torch
    from torch import nn

    class Pointer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.EmbeddingBag(BUCKETS, TABLE_WIDTH, mode="mean", padding_idx=0)
            self.widened = nn.Linear(TABLE_WIDTH, WIDTH)
            self.kinds = nn.Embedding(2, WIDTH)
            self.places = nn.Embedding(MOST_PARTS, WIDTH)
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
            place = torch.arange(parts, device=rows.device)
            is_action = (place[None] >= words[:, None]).long()
            start = torch.where(is_action.bool(), words[:, None], 0)
            read = self.widened(table) + self.kinds(is_action) + self.places(place[None] - start)
            nothing = (rows == 0).all(-1)
            hidden = self.layers(read, src_key_padding_mask=nothing)
            scores = self.asks(hidden) @ self.offers(hidden).transpose(1, 2) / WIDTH**0.5
            barred = (nothing | ~is_action.bool())[:, None]
            scores = scores.masked_fill(barred, float("-inf"))
            return torch.cat([self.special(hidden), scores], -1).log_softmax(-1)

    return Pointer()


def batched(questions: Sequence[tuple[Sequence[Part], Sequence[Part]]]) -> "tuple[Tensor, Tensor]":
    """The rows and the numbers of words of some questions, each with its words and its actions."""
    import torch

    longest = max(len(words) + len(actions) for words, actions in questions)
    nothing = [0] * MOST_PIECES
    rows = [
        [[*part.rows, *nothing[len(part.rows) :]] for part in (*words, *actions)]
        + [nothing] * (longest - len(words) - len(actions))
        for words, actions in questions
    ]
    return torch.tensor(rows), torch.tensor([len(words) for words, _ in questions])


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
        """The words in the order of the question; none where there are too many to be read."""
        places = places_of(question, mentions)
        inner = list(actions)
        if not places or len(places) + len(inner) > MOST_PARTS:
            return []
        shares = self.shares(question, places, mentions, inner)
        pointed = pointed_at(actions)
        return [
            Word(
                text=question[own.start : own.end],
                start=own.start,
                end=own.end,
                used_by=self._used_by(own, share, inner, mentions, pointed),
            )
            for own, share in zip(places, shares, strict=True)
        ]

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> float:
        """The largest share of a word that the query does not point at of being unread."""
        places, pointed = places_of(question, mentions), pointed_at(actions)
        if not places or len(places) + len(actions) > MOST_PARTS:
            return 0.0
        shares = self.shares(question, places, mentions, actions)
        return max(
            (
                own[0]
                for place, own in zip(places, shares, strict=True)
                if place.mention is None or place.mention not in pointed
            ),
            default=0.0,
        )

    def shares(
        self,
        question: str,
        places: Sequence[Place],
        mentions: Sequence[Numbered],
        actions: Sequence[Action],
    ) -> list[list[float]]:
        """For each word the shares of unread, of filler and of each action."""
        import torch

        words = word_parts(question, places, mentions, actions)
        with torch.inference_mode():
            logs = self._model(*batched([(words, action_parts(actions, self._label))]))
        shares: list[list[float]] = logs[0, : len(words)].exp().tolist()
        return [own[:SPECIAL] + own[SPECIAL + len(words) :] for own in shares]

    def _used_by(
        self,
        place: Place,
        shares: Sequence[float],
        actions: Sequence[Action],
        mentions: Sequence[Numbered],
        pointed: frozenset[int],
    ) -> str:
        if place.mention is not None and place.mention in pointed:
            is_value = mentions[place.mention].kind in ("number", "date", "text")
            return "value" if is_value else "mention"
        if shares[0] >= self._threshold:
            return UNREAD
        best = max(range(1, len(shares)), key=shares.__getitem__)
        if best < SPECIAL:
            return FILLER
        action = actions[best - SPECIAL]
        return self._label(action.name) if action.name else "operator"


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
    model.load_state_dict({name: own.to(torch.float32) for name, own in weights.items()})
    return LearntAccount(model.eval(), float(settings["threshold"]), label)


def write_account(folder: Path, model: "nn.Module", threshold: float) -> None:
    """Write the account beside a model's weights, in half precision."""
    import torch
    from safetensors.torch import save_file

    weights = {name: own.to(torch.float16).contiguous() for name, own in model.state_dict().items()}
    save_file(weights, folder / ACCOUNT_FILE)
    text = json.dumps({"threshold": round(threshold, 4)}, indent=2)
    (folder / _SETTINGS).write_text(text + "\n", encoding="utf-8")
