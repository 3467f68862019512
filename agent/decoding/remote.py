"""Reasoning paths from a model on a server: an OpenAI-compatible one with structured outputs.

The server gets the path set as one regular expression. It needs all paths ahead of time, so they
are listed, and their number is capped: each relation path from each topic gives one path in turn,
short ones first, so that no hub crowds out the others. What the cap left out is reported. The
server is not trusted: every reply is looked up in the path set here, and one that is not in it is
dropped, counted and never shown.
"""

import json
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import httpx
import numpy as np

from ..errors import ConstraintError, InputError, NoPathError, ServiceError
from ..kg import Labels
from ..kg.terms import Path, RelationPath, Term
from ..services import PLAIN, Body, UnboundedError, is_port, masked, public_address
from .graph_index import GraphIndex
from .paths import PathLimits, path_of
from .wire import SEPARATOR, spell_paths

MAX_PATHS = 1_000

_Trail: TypeAlias = tuple[int, ...]
"""The topic's node, then run and edge of each hop."""


class _Kind(NamedTuple):
    """A topic and a relation path, whose relations are walked as in the index."""

    topic: int
    walked: tuple[int, ...]


class Cut(NamedTuple):
    """A relation path of which some paths are not listed."""

    topic: Term
    relations: RelationPath


@dataclass(frozen=True)
class ListedPaths:
    """Paths by their text, `France -> borders -> Spain`, and what was cut.

    Texts are unique: names that are written alike are numbered.
    """

    paths: Mapping[str, Path]
    cut: tuple[Cut, ...]
    more: bool
    """Whether there are relation paths that are not listed at all; `cut` does not name them."""

    @property
    def complete(self) -> bool:
        """Whether every legal path is listed."""
        return not self.cut and not self.more

    @cached_property
    def regex(self) -> str:
        """An expression that matches these texts and no others, for a match of the whole reply.

        It holds nothing but literals, escapes, groups, `|` and `?`, which every engine knows.
        """
        return alternation(text.split(SEPARATOR) for text in self.paths)

    def find(self, text: str) -> Path | None:
        """The path that a reply spells, blanks around it aside; None where it is not listed."""
        return self.paths.get(text.strip())


def list_paths(
    index: GraphIndex,
    labels: Labels,
    topics: Collection[Term],
    limits: PathLimits,
    *,
    max_paths: int = MAX_PATHS,
) -> ListedPaths:
    """At most `max_paths` of the paths that `ReasoningPaths` allows under the same limits.

    Raises NoPathError when the graph holds no legal walk from any of the topics.
    """
    walker = _Walker(index, topics, limits)
    trails: list[_Trail] = []
    waiting: deque[tuple[_Kind, Iterator[_Trail]]] = deque()
    kinds = walker.kinds()
    for kind in kinds:
        remaining_trails = walker.trails(kind)
        if (trail := next(remaining_trails, None)) is not None:
            trails.append(trail)
            waiting.append((kind, remaining_trails))
            if len(trails) >= max_paths:
                break
    while waiting and len(trails) < max_paths:
        kind, remaining_trails = waiting.popleft()
        if (trail := next(remaining_trails, None)) is not None:
            trails.append(trail)
            waiting.append((kind, remaining_trails))
    if not trails:
        raise NoPathError(
            f"no path of up to {limits.hops} hops leaves the topic entities",
            "allow more hops or both directions",
        )
    cut = [kind for kind, remaining_trails in waiting if next(remaining_trails, None) is not None]
    more = any(next(walker.trails(kind), None) is not None for kind in kinds)
    paths = [path_of(index, trail[0], trail[1:]) for trail in trails]
    return ListedPaths(
        dict(zip(spell_paths(labels, paths), paths, strict=True)),
        tuple(Cut(index.entities[kind.topic], walker.relations(kind.walked)) for kind in cut),
        more,
    )


class _Walker:
    """The legal walks of one question, each made when it is asked for."""

    def __init__(self, index: GraphIndex, topics: Collection[Term], limits: PathLimits) -> None:
        self._index = index
        self._limits = limits
        nodes = index.find([*dict.fromkeys(topics)])
        self._topics = [node for node in nodes if node is not None]
        others = (node for node in index.find(sorted(limits.others)) if node is not None)
        topic_set = frozenset((*self._topics, *others))
        self._banned = topic_set if limits.revisits == "no-topic" else frozenset[int]()

    def kinds(self) -> Iterator[_Kind]:
        """Each topic and relation path that may have walks, breadth first."""
        waiting = deque((_Kind(topic, ()), np.array([topic])) for topic in self._topics)
        while waiting:
            kind, nodes = waiting.popleft()
            runs = self._index.runs(nodes)
            walked = self._index.run_relation[runs]
            for relation in np.unique(walked).tolist():
                if relation % 2 and not self._limits.inverse:
                    continue
                longer = _Kind(kind.topic, (*kind.walked, relation))
                yield longer
                if len(longer.walked) < self._limits.hops:
                    edges = self._index.edges(runs[walked == relation])
                    reached = np.unique(self._index.edge_target[edges])
                    waiting.append((longer, reached[~np.isin(reached, [*self._banned])]))

    def trails(self, kind: _Kind) -> Iterator[_Trail]:
        """The walks of one kind."""
        if not kind.walked:
            yield (kind.topic,)
            return
        index, (*before, relation) = self._index, kind.walked
        for trail in self.trails(_Kind(kind.topic, tuple(before))):
            node = self._end_of(trail)
            first, last = index.leaving(node)
            for run in np.flatnonzero(index.run_relation[first:last] == relation).tolist():
                index.fetch(runs=np.array([first + run]))
                lo, hi = index.run_edges[first + run : first + run + 2].tolist()
                for edge in range(lo, hi):
                    if self._may_visit(int(index.edge_target[edge]), trail):
                        yield (*trail, first + run, edge)

    def relations(self, walked: tuple[int, ...]) -> RelationPath:
        """The relation path in RDF terms."""
        return tuple((self._index.relations[w // 2], bool(w % 2)) for w in walked)

    def _end_of(self, trail: _Trail) -> int:
        return int(self._index.edge_target[trail[-1]]) if trail[1:] else trail[0]

    def _may_visit(self, node: int, trail: _Trail) -> bool:
        if self._limits.revisits != "simple":
            return node not in self._banned
        visited = (int(self._index.edge_target[edge]) for edge in trail[2::2])
        return node != trail[0] and node not in visited


_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\.^$*+?()[]{}|"})


@dataclass
class _Node:
    """What may follow some parts, and whether a text may end here."""

    ends: bool = False
    after: dict[str, "_Node"] = field(default_factory=dict[str, "_Node"])


def alternation(texts: Iterable[Sequence[str]]) -> str:
    """An expression for texts given as the parts between separators; shared beginnings are shared.

    It has no anchors: the engine must match the whole text.
    """
    root = _Node()
    for parts in texts:
        node = root
        for part in parts:
            node = node.after.setdefault(part, _Node())
        node.ends = True
    return _alternatives(root)


def literal(text: str) -> str:
    """An expression for this text alone."""
    return text.translate(_SPECIAL)


def _alternatives(node: _Node) -> str:
    options = [literal(part) + _continuation(after) for part, after in node.after.items()]
    return options[0] if len(options) == 1 else f"({'|'.join(options)})"


def _continuation(node: _Node) -> str:
    if not node.after:
        return ""
    continuation = literal(SEPARATOR) + _alternatives(node)
    return f"({continuation})?" if node.ends else continuation


@dataclass(frozen=True)
class Server:
    """Where to ask: `address` ends before `/completions`, mostly in `/v1`."""

    address: str = field(repr=False)
    model: str
    engine: Literal["vllm", "sglang"] = "vllm"
    """Which field of a request has the constraint."""
    api: Literal["completions", "chat"] = "completions"
    """Whether the prompt goes as it is, or as a message in the server's own chat template."""
    key: str = field(default="", repr=False)
    timeout: float = 60.0

    def __post_init__(self) -> None:
        """Raises InputError where the port of the address cannot be one."""
        with suppress(httpx.InvalidURL):
            port = httpx.URL(self.address).port
            if not is_port(port):
                raise InputError(f"{self.source}: {port} is no port", "1 to 65535 are")

    @property
    def source(self) -> str:
        """What errors call the server: its address without secrets."""
        return public_address(self.address)


@dataclass(frozen=True)
class RemotePath:
    """A path that the server wrote, and in how many of its replies."""

    path: Path
    text: str
    samples: int


@dataclass(frozen=True)
class RemoteResult:
    """The different paths, the most frequent first; ties by text."""

    paths: list[RemotePath]
    rejected: int
    """Replies that were cut short or are not in the path set."""
    requests: int


class _Reply(NamedTuple):
    text: str
    whole: bool


def decode_remote(
    server: Server,
    prompt: str,
    paths: ListedPaths,
    *,
    samples: int = 10,
    temperature: float = 1.0,
    seed: int = 0,
    client: httpx.Client | None = None,
) -> RemoteResult:
    """Ask for `samples` replies, or one at temperature 0, and keep those that are paths.

    The prompt ends where the path begins; where the model was trained with tags, it ends with the
    opening one. A server that sends fewer replies at a time than it was asked for is asked again,
    until there are enough or a whole answer was no use. Raises ServiceError where the server does
    not answer as such servers do, and ConstraintError where no reply is in the path set.
    """
    body = _body(server, prompt, paths) | {"temperature": temperature}
    reply_count = samples if temperature > 0 else 1
    replies: list[_Reply] = []
    counts: Counter[str] = Counter()
    requests = 0
    opened = httpx.Client(timeout=server.timeout) if client is None else nullcontext(client)
    with opened as connection:
        while len(replies) < reply_count:
            missing = reply_count - len(replies)
            more = _ask(connection, server, body | {"n": missing, "seed": seed + len(replies)})
            requests += 1
            replies += more[:missing]
            texts = [reply.text.strip() for reply in more[:missing] if reply.whole]
            texts = [text for text in texts if paths.find(text) is not None]
            counts.update(texts)
            if not texts:
                break
    if not counts:
        raise ConstraintError(
            f"{server.source}: none of {len(replies)} replies is a path of the graph, so the "
            "server does not apply the constraint",
            "use a server with structured outputs by regular expression, such as vLLM or SGLang",
        )
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return RemoteResult(
        [RemotePath(paths.paths[text], text, count) for text, count in ranked],
        len(replies) - counts.total(),
        requests,
    )


def _body(server: Server, prompt: str, paths: ListedPaths) -> dict[str, Any]:
    longest = max(len(text.encode("utf-8")) for text in paths.paths)
    body: dict[str, Any] = {"model": server.model, "max_tokens": longest + 8}
    if server.api == "chat":
        body["messages"] = [{"role": "user", "content": prompt}]
    else:
        body["prompt"] = prompt
    if server.engine == "vllm":
        body["structured_outputs"] = {"regex": paths.regex}
    else:
        body["regex"] = paths.regex
    return body


def _ask(client: httpx.Client, server: Server, body: dict[str, Any]) -> Sequence[_Reply]:
    path = "chat/completions" if server.api == "chat" else "completions"
    headers = {"Authorization": f"Bearer {server.key}"} if server.key else {}
    address = f"{server.address.rstrip('/')}/{path}"
    try:
        with client.stream("POST", address, json=body, headers={**PLAIN, **headers}) as response:
            read = Body(response.headers)
            for piece in response.iter_raw():
                read.add(piece)
    except UnboundedError as error:
        raise ServiceError(f"{server.source}: {error}") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ServiceError(
            f"{server.source}: did not answer ({type(error).__name__})", "is the server running?"
        ) from error
    if response.status_code != 200:
        password = httpx.URL(server.address).password
        reason = masked(read.read.decode("utf-8", "replace"), server.key, password)
        reason = " ".join(reason.split())[:200]
        raise ServiceError(f"{server.source}: answered {response.status_code}: {reason}")
    try:
        replies = [_reply(choice, server.api) for choice in json.loads(read.read)["choices"]]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ServiceError(f"{server.source}: sent something that is no completion") from error
    if not replies:
        raise ServiceError(f"{server.source}: sent no reply")
    return replies


def _reply(choice: Any, api: str) -> _Reply:
    text = choice["message"]["content"] if api == "chat" else choice["text"]
    if not isinstance(text, str | None):
        raise TypeError(f"a reply is text, not {type(text).__name__}")
    return _Reply(text or "", cast(str | None, choice.get("finish_reason")) != "length")
