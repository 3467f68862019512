"""Asks a SPARQL 1.1 endpoint over HTTP. Read only: nothing but SELECT is ever sent.

Answers are read as SPARQL 1.1 Query Results JSON, strictly in form.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple, TypeAlias, cast
from urllib.parse import quote, urlencode

import httpx
import pyoxigraph as ox

from ....errors import KGError, ServiceError
from ....services import Background, Circuit, is_port
from ...nodes import to_any_node, to_term
from ...store import Meter, meters
from ...terms import Term, Triple, triple_term
from .beside import turn
from .queries import Query
from .settings import EndpointSettings
from .transport import Limits, Reply, Service, exchange, show_url

Row: TypeAlias = tuple[Term | None, ...]
"""The values of the asked variables. None where there is none or it cannot be asked about.

That is so of blank nodes, which have no name outside one answer, of triple terms (RDF 1.2) with
such a part, and of IRIs and literals that RDF does not allow.
"""


def read_rows(body: bytes, variables: Sequence[str], *, with_blanks: bool = False) -> list[Row]:
    """The rows of a SELECT answer. Raises ValueError when it is anything else, or only a part."""
    try:
        document: object = json.loads(body.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    head, results = _object(document, "head"), _object(document, "results")
    listed, bindings = head.get("vars"), results.get("bindings")
    if not isinstance(listed, list) or not set(variables) <= set(map(str, cast(Any, listed))):
        raise ValueError("it has not the variables that were asked for")
    if not isinstance(bindings, list):
        raise ValueError("it has no rows")
    try:
        return [_row(binding, variables, with_blanks) for binding in cast("list[object]", bindings)]
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _object(document: object, key: str) -> Mapping[str, Any]:
    value = cast("dict[str, Any]", document).get(key) if isinstance(document, dict) else None
    if not isinstance(value, dict):
        raise ValueError(f"it has no `{key}`")
    return cast("dict[str, Any]", value)


def _row(binding: object, variables: Sequence[str], with_blanks: bool) -> Row:
    if not isinstance(binding, dict):
        raise ValueError("a row is no object")
    row = cast("dict[str, object]", binding)
    return tuple(_term(row[name], with_blanks) if name in row else None for name in variables)


def _term(value: object, with_blanks: bool = False) -> Term | None:
    if not isinstance(value, dict):
        raise ValueError("a value is no object")
    fields = cast("dict[str, object]", value)
    kind, text = fields.get("type"), fields.get("value")
    if kind == "bnode":
        return f"_:{text}" if with_blanks else None
    if kind == "triple":
        return _triple(fields.get("value"))
    if not isinstance(text, str) or kind not in ("uri", "literal", "typed-literal"):
        raise ValueError("a value is no RDF term")
    language, datatype = fields.get("xml:lang"), fields.get("datatype")
    if not isinstance(language, str | None) or not isinstance(datatype, str | None):
        raise ValueError("a literal has a malformed language or datatype")
    if "its:dir" in fields:
        return None
    try:
        if kind == "uri":
            return to_term(ox.NamedNode(text))
        if language:
            return to_term(ox.Literal(text, language=language))
        if datatype:
            return to_term(ox.Literal(text, datatype=ox.NamedNode(datatype)))
        return to_term(ox.Literal(text))
    except ValueError:
        return None


def _triple(value: object) -> Term | None:
    """A triple term in SPARQL 1.2's form; None for the forms that engines had before."""
    keys = ("subject", "predicate", "object")
    if not (isinstance(value, dict) and set(keys) <= value.keys()):
        return None
    parts = [_term(cast("dict[str, object]", value)[key]) for key in keys]
    terms = [part for part in parts if part is not None]
    if len(terms) < len(keys):
        return None
    try:
        return to_term(to_any_node(triple_term(Triple(*terms))))
    except ValueError:
        return None


_JSON = "application/sparql-results+json"
_LONGEST_IN_URL = 5_000
_LONGEST = 500_000
_METERS = "groundwalk.meters"
_NO_LIMIT_BELOW = 1_024
"""Rows of an answer that show that a server has no limit below; larger ones differ by query."""
_MOST_CONNECTIONS = 16
"""Of all callers together; who comes later waits for one, within the time of the question."""


class Answer(NamedTuple):
    """The rows of an answer; `cut` when the server may have kept rows back."""

    rows: list[Row]
    cut: bool


class SparqlClient:
    """Keeps connections to one endpoint open; safe to share between threads.

    An endpoint that is down is not asked for a while after three failures in a row. A forked
    process needs a client of its own.
    """

    def __init__(self, url: str, settings: EndpointSettings) -> None:
        """Raises KGError when the address is not one of HTTP."""
        try:
            parsed = httpx.URL(url)
        except (httpx.InvalidURL, ValueError) as error:
            raise KGError("the address of the endpoint is malformed", "check it") from error
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise KGError("an endpoint has an http or https address with a host", "check it")
        if not is_port(parsed.port):
            raise KGError(f"the endpoint's port {parsed.port} is none", "1 to 65535 are")
        self.source = show_url(parsed)
        self.settings = settings
        self.requests = 0
        """HTTP requests that were sent, each attempt and redirect by itself."""
        self.longest = _LONGEST_IN_URL if settings.method == "get" else _LONGEST
        self._url = parsed.copy_with(username=None, password=None, fragment=None)
        self._http = httpx.AsyncClient(
            auth=_auth(parsed, settings),
            headers=_headers(settings),
            timeout=httpx.Timeout(None, connect=settings.connect_timeout),
            limits=httpx.Limits(max_connections=_MOST_CONNECTIONS),
            event_hooks={"request": [self._count]},
        )
        self._service = Service(self.source, _secrets(parsed, settings))
        self._circuit = Circuit(settings.pause)
        self._most_rows = 0
        """The rows of the longest answer, as far as that tells: no limit is smaller."""
        self._background = Background()

    @property
    def address(self) -> str:
        """The whole address with its query but without credentials: what identifies the KG."""
        return str(self._url)

    def select(self, query: Query, *, timeout: float | None = None) -> Answer:
        """Ask a query, for at most `timeout` seconds. Raises ServiceError.

        The answer counts as cut when it has as many rows as the query allows, as many as the server
        says that it gives at most, or a round number of them, as from a limit that it keeps to
        itself. A number of some hundreds does not, once another answer had more rows.
        """
        seconds = min(timeout or self.settings.timeout, self.settings.timeout)
        request = self._request(query.text)
        request.extensions[_METERS] = meters()
        with turn(), self._circuit.passing() as trying:
            attempts = 1 if trying else self.settings.attempts
            limits = Limits(seconds, attempts, self.settings.max_bytes)
            reply = self._background.run(exchange(self._http, request, limits, self._service))
        rows = self._read(reply, query)
        full = query.limit is not None and len(rows) >= query.limit
        limited = _is_round(len(rows)) and len(rows) >= self._most_rows
        self._most_rows = min(max(self._most_rows, len(rows)), _NO_LIMIT_BELOW)
        return Answer(rows, full or limited or len(rows) >= _most_rows(reply))

    def close(self) -> None:
        """Close the connections; the client cannot be used after that."""
        self._background.close(self._http.aclose())

    async def _count(self, request: httpx.Request) -> None:
        """On the one thread of the loop."""
        self.requests += 1
        counting: tuple[Meter, ...] = request.extensions[_METERS]
        for meter in counting:
            meter.count()

    def _request(self, text: str) -> httpx.Request:
        accept = {"Accept": _JSON, "Accept-Encoding": "gzip"}
        match self.settings.method:
            case "get":
                url = self._url.copy_merge_params({"query": text})
                return self._http.build_request("GET", url, headers=accept)
            case "direct":
                headers = {**accept, "Content-Type": "application/sparql-query"}
                content = text.encode()
            case "form":
                headers = {**accept, "Content-Type": "application/x-www-form-urlencoded"}
                content = urlencode({"query": text}).encode()
        return self._http.build_request("POST", self._url, headers=headers, content=content)

    def _read(self, reply: Reply, query: Query) -> list[Row]:
        media = reply.headers.get("content-type", "").split(";")[0].strip().lower()
        if media not in (_JSON, "application/json"):
            raise ServiceError(
                f"{self.source} does not answer with SPARQL results in JSON",
                "check that this is the address of the endpoint, and not that of its web page",
            )
        if reply.headers.get("x-sql-state") == "S1TAT":
            raise ServiceError(f"{self.source} ran out of time and sent a part of the answer")
        try:
            return read_rows(reply.body, query.variables, with_blanks=query.with_blanks)
        except ValueError as error:
            raise ServiceError(
                f"{self.source} sent an answer that is broken or no SPARQL result",
                "the service may have failed half-way; ask again",
            ) from error


def _headers(settings: EndpointSettings) -> dict[str, str]:
    try:
        number = version("groundwalk")
    except PackageNotFoundError:
        number = "0"
    headers = {"User-Agent": f"groundwalk/{number}"}
    headers |= {name: value.get_secret_value() for name, value in settings.headers.items()}
    if token := settings.token.get_secret_value():
        headers["Authorization"] = f"Bearer {token}"
    return headers


def _auth(url: httpx.URL, settings: EndpointSettings) -> httpx.BasicAuth | None:
    if settings.user:
        return httpx.BasicAuth(settings.user, settings.password.get_secret_value())
    return httpx.BasicAuth(url.username, url.password) if url.userinfo else None


def _secrets(url: httpx.URL, settings: EndpointSettings) -> tuple[str, ...]:
    """What is secret in an address and in settings, in all the forms in which it is sent."""
    hidden = (settings.password, settings.token, *settings.headers.values())
    secrets = {secret.get_secret_value() for secret in hidden}
    secrets |= {url.username, url.password, *url.params.values()}
    user, password = settings.user, settings.password.get_secret_value()
    for pair in (f"{user}:{password}", f"{url.username}:{url.password}"):
        secrets.add(b64encode(pair.encode()).decode())
    forms = secrets | {quote(secret, safe="") for secret in secrets}
    return tuple(sorted(forms - {""}, key=len, reverse=True))


def _is_round(count: int) -> bool:
    return count >= 100 and (count % 100 == 0 or count & (count - 1) == 0)


def _most_rows(reply: Reply) -> float:
    """The cap that Virtuoso announces; without one, endless."""
    text = reply.headers.get("x-sparql-maxrows", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else float("inf")
