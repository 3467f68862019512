"""Asks a SPARQL 1.1 endpoint over HTTP. Read only: nothing but SELECT is ever sent."""

from base64 import b64encode
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple
from urllib.parse import quote, urlencode

import httpx

from ...address import is_port
from ...background import Background
from ...circuit import Circuit
from ...errors import KGError, ServiceError
from ..metering import Meter, meters
from .queries import Query
from .results import Row, read_rows
from .settings import EndpointSettings
from .transport import Limits, Reply, Service, exchange, show_url

_JSON = "application/sparql-results+json"
_LONGEST_IN_URL = 5_000
_LONGEST = 500_000
_METERS = "groundwalk.meters"


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
            event_hooks={"request": [self._count]},
        )
        self._service = Service(self.source, _secrets(parsed, settings))
        self._circuit = Circuit(settings.pause)
        self._background = Background()

    @property
    def address(self) -> str:
        """The whole address with its query but without credentials: what identifies the KG."""
        return str(self._url)

    def select(self, query: Query, *, timeout: float | None = None) -> Answer:
        """Ask a query, for at most `timeout` seconds. Raises ServiceError.

        The answer counts as cut when it has as many rows as the query allows, as many as the server
        says that it gives at most, or a round number of them, as from a limit that it keeps to
        itself.
        """
        seconds = min(timeout or self.settings.timeout, self.settings.timeout)
        request = self._request(query.text)
        request.extensions[_METERS] = meters()
        with self._circuit.passing() as trying:
            attempts = 1 if trying else self.settings.attempts
            limits = Limits(seconds, attempts, self.settings.max_bytes)
            reply = self._background.run(exchange(self._http, request, limits, self._service))
        rows = self._read(reply, query)
        full = query.limit is not None and len(rows) >= query.limit
        return Answer(rows, full or _is_round(len(rows)) or len(rows) >= _most_rows(reply))

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
            return read_rows(reply.body, query.variables)
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
