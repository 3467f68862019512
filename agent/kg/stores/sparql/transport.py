"""One HTTP exchange that surely ends: bounded retries, redirects, bytes and time."""

import asyncio
import html
import random
import re
import zlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

import httpx

from ....errors import RefusedError, ServiceError, UnavailableError
from ....services import asked_to_wait, masked
from ...labels.names import one_line

_BUSY = frozenset({429, 502, 503, 504})
_REFUSED = frozenset({400, 413, 414, 422, 500, 501})
"""Statuses that may be about the one query; Virtuoso answers 500 to some literals."""
_MOVED = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 3
_FIRST_WAIT = 0.25
_GZIP = 16 + zlib.MAX_WBITS
_MOST_READ_OF_REFUSAL = 65_536
_SECONDS_FOR_REFUSAL = 2.0
_LONGEST_REASON = 200
_NOT_TEXT = re.compile(r"(?is)<(script|style|head)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>")

_ACCESS = "set GROUNDWALK_SPARQL_USER and GROUNDWALK_SPARQL_PASSWORD, or GROUNDWALK_SPARQL_TOKEN"
_FORM = "try another GROUNDWALK_SPARQL_METHOD: form, direct or get"
_LATER = "ask again later"
_HINTS: Mapping[int, str] = {
    401: _ACCESS,
    403: _ACCESS,
    404: "check the address of the endpoint",
    400: _FORM,
    405: _FORM,
    406: _FORM,
    413: _FORM,
    414: _FORM,
    415: _FORM,
    429: _LATER,
    503: _LATER,
}


class Reply(NamedTuple):
    """The headers and the unpacked body of an answer with status 200."""

    headers: httpx.Headers
    body: bytes


class Limits(NamedTuple):
    """Seconds for everything, attempts, and bytes of the unpacked body."""

    seconds: float
    attempts: int
    most_bytes: int


class Service(NamedTuple):
    """What errors call the service, and the secrets of its client, which they never show."""

    name: str
    secrets: tuple[str, ...] = ()


class _Unfinished(NamedTuple):
    """An answer with another status, and what it says in one line of text without secrets."""

    status: int
    headers: httpx.Headers
    reason: str


async def exchange(
    client: httpx.AsyncClient, request: httpx.Request, limits: Limits, service: Service
) -> Reply:
    """Send a request until it is answered with status 200.

    Busy servers (429, 502, 503, 504), deadlocks and broken connections are tried again, after the
    time that the server asks for or one that doubles. Only redirects on the same host are followed,
    so that credentials stay there. Raises ServiceError: UnavailableError where the service is down
    or overloaded, and says for how long where it does; RefusedError where it does not take the
    query, and says why where it does.
    """
    try:
        async with asyncio.timeout(limits.seconds) as clock:
            return await _persist(client, request, limits, service, clock.when() or 0.0)
    except TimeoutError as error:
        raise UnavailableError(
            f"{service.name} did not answer within {limits.seconds:g} s",
            "ask for less, or set GROUNDWALK_SPARQL_TIMEOUT to more seconds",
        ) from error


async def _persist(
    client: httpx.AsyncClient,
    request: httpx.Request,
    limits: Limits,
    service: Service,
    deadline: float,
) -> Reply:
    backoff = _FIRST_WAIT
    for seconds_left in reversed(range(limits.attempts)):
        wait = backoff * random.uniform(0.5, 1.0)
        backoff *= 2
        try:
            reply = await _follow(client, request, limits.most_bytes, service)
        except httpx.TransportError as error:
            problem = UnavailableError(
                f"{service.name} did not answer: {_reason(error)}",
                "check the address, and that the service runs",
            )
            problem.__cause__ = error
        else:
            if isinstance(reply, Reply):
                return reply
            asked = asked_to_wait(reply.headers.get("retry-after", ""))
            problem = _refusal(service.name, reply, asked)
            if reply.status not in _BUSY and not _is_deadlock(reply):
                raise problem
            wait = max(wait, asked)
        if not seconds_left or asyncio.get_running_loop().time() + wait > deadline:
            raise problem
        await asyncio.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def _is_deadlock(reply: _Unfinished) -> bool:
    """Whether a server gave up a query since others stood in its way, as Virtuoso does (40001)."""
    return reply.status == 500 and "deadlock" in reply.reason.lower()


async def _follow(
    client: httpx.AsyncClient, request: httpx.Request, most_bytes: int, service: Service
) -> Reply | _Unfinished:
    """One attempt, with redirects on the same host: the request is repeated there as it is."""
    for _ in range(_MOST_REDIRECTS + 1):
        reply = await _send(client, request, most_bytes, service)
        if isinstance(reply, Reply) or reply.status not in _MOVED:
            return reply
        request = _moved(request, reply.headers.get("location", ""), service.name)
    raise ServiceError(f"{service.name} redirects in circles", "check the address of the endpoint")


async def _send(
    client: httpx.AsyncClient, request: httpx.Request, most_bytes: int, service: Service
) -> Reply | _Unfinished:
    response = await client.send(request, stream=True)
    try:
        if response.status_code == 200:
            return Reply(response.headers, await _body(response, most_bytes, service.name))
        moved = response.status_code in _MOVED
        reason = "" if moved else await _reason_given(response, service.secrets)
        return _Unfinished(response.status_code, response.headers, reason)
    finally:
        await response.aclose()


async def _reason_given(response: httpx.Response, secrets: tuple[str, ...]) -> str:
    """Why a query was refused, as the server says it: a short line of text, or nothing."""
    try:
        async with asyncio.timeout(_SECONDS_FOR_REFUSAL):
            body = await _body(response, _MOST_READ_OF_REFUSAL, "")
    except (TimeoutError, ServiceError, httpx.TransportError):
        return ""
    text = body.decode("utf-8", "replace")
    if text.lstrip().startswith("<"):
        if response.status_code in _BUSY:
            return ""  # a page of a proxy, which says what the status does
        text = html.unescape(_NOT_TEXT.sub(" ", text))
    reason = masked(one_line(masked(text, *secrets)), *secrets)
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…"


async def _body(response: httpx.Response, most: int, source: str) -> bytes:
    """The body, unpacked here because httpx would unpack a bomb whole."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip"):
        raise ServiceError(f"{source} packs its answers in a way that it was not asked for")
    unpacker = None if coding == "identity" else zlib.decompressobj(_GZIP)
    body = bytearray()
    try:
        async for piece in response.aiter_raw():
            body += unpacker.decompress(piece, most + 1 - len(body)) if unpacker else piece
            if len(body) > most:
                raise ServiceError(
                    f"{source} sent more than {most:,} bytes for one answer", "ask for less"
                )
    except zlib.error as error:
        raise ServiceError(f"{source} sent a damaged answer") from error
    if unpacker and not unpacker.eof:
        raise ServiceError(f"{source} sent half an answer")
    return bytes(body)


def _moved(request: httpx.Request, location: str, source: str) -> httpx.Request:
    try:
        target = request.url.join(location)
    except (httpx.InvalidURL, ValueError) as error:
        raise ServiceError(f"{source} redirects to no address") from error
    here = request.url
    same = (target.scheme, target.port) == (here.scheme, here.port)
    safer = (here.scheme, target.scheme, here.port, target.port) == ("http", "https", None, None)
    if target.host != here.host or not (same or safer):
        shown = show_url(target)
        raise ServiceError(
            f"{source} sends to another host: {shown}", "if that is right, give that address"
        )
    return httpx.Request(
        request.method,
        target,
        headers=request.headers,
        content=request.content,
        extensions=request.extensions,
    )


def show_url(url: httpx.URL) -> str:
    """An address without what may be secret in it: user, password, query and fragment."""
    shown = str(url.copy_with(username=None, password=None, query=None, fragment=None))
    return "".join(c if c.isprintable() else "?" for c in shown)[:200]


def _refusal(source: str, reply: _Unfinished, wait: float) -> ServiceError:
    status = reply.status
    try:
        meaning = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        meaning = str(status)
    later = f" and asks to wait {wait:,.0f} s" if wait else ""
    reason = f": {reply.reason}" if reply.reason else ""
    kind = ServiceError
    if status in _REFUSED:
        kind = RefusedError
    elif status == 429 or status >= 500:
        kind = UnavailableError
    message = f"{source} refused the query ({meaning}){later}{reason}"
    return kind(message, _HINTS.get(status, ""))


def _reason(error: httpx.TransportError) -> str:
    match error:
        case httpx.ConnectTimeout() | httpx.ConnectError():
            return "no connection"
        case httpx.TimeoutException():
            return "too slow"
        case httpx.RemoteProtocolError():
            return "it broke off, or speaks no HTTP"
        case httpx.ProxyError():
            return "the proxy refused"
        case _:
            return "the connection broke"
