"""Reasoning paths from a model on a server: an OpenAI-compatible one with structured outputs.

The server gets the path set as one regular expression. It is not trusted: every reply is looked
up in the path set here, and one that is not in it is dropped, counted and never shown.
"""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

import httpx

from ..errors import ConstraintError, InputError, ServiceError
from ..kg.terms import Path
from ..services import PLAIN, Body, UnboundedError, is_port, masked, public_address
from .listing import ListedPaths


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
    wanted = samples if temperature > 0 else 1
    replies: list[_Reply] = []
    counts: Counter[str] = Counter()
    requests = 0
    opened = httpx.Client(timeout=server.timeout) if client is None else nullcontext(client)
    with opened as connection:
        while len(replies) < wanted:
            missing = wanted - len(replies)
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
