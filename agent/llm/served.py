"""A chat model behind an OpenAI-compatible server: every call ends, in a reply or in an error."""

import asyncio
import os
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import openai
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.callbacks.manager import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient
from pydantic import Field, PrivateAttr, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ..errors import InputError, RefusedError, ServiceError, UnavailableError
from ..kg.labels.names import one_line
from ..services import PLAIN, Background, Body, Circuit, UnboundedError, asked_to_wait, masked
from ..settings import check_env_file


def without_user(address: str | None) -> tuple[str | None, tuple[str, str] | None]:
    """An address without its user and password, and these."""
    import httpx

    url = httpx.URL(address or "")
    if not address or not url.userinfo:
        return address, None
    return str(url.copy_with(username=None, password=None)), (url.username, url.password)


def mask_error(error: BaseException, secret: str) -> None:
    """Make an error of a client, and what caused it, say `***` for a key that a server repeats."""
    cause: BaseException | None = error
    while cause is not None:
        vars(cause).pop("response", None)  # its body would be traced
        cause.args = (masked(str(cause), secret),)
        cause = cause.__cause__ or cause.__context__


_MOST_REDIRECTS = 5


class BoundedClient(DefaultAsyncHttpxClient):
    """Reads replies whole; raises UnboundedError for one without an end."""

    async def send(self, request: Any, **options: Any) -> Any:
        """As of its parent, which would read the bodies of redirects without a bound."""
        options |= {"stream": True, "follow_redirects": False}
        for _ in range(_MOST_REDIRECTS + 1):
            response = await super().send(request, **options)
            if response.next_request is None:
                break
            await response.aclose()
            request = response.next_request
            options["auth"] = None  # the header went along, where it may
        else:
            raise UnboundedError("redirects in circles")
        try:
            body = Body(response.headers)
            async for piece in response.aiter_raw():
                body.add(piece)
        finally:
            await response.aclose()
        return type(response)(
            response.status_code,
            headers=response.headers,
            content=bytes(body.read),
            request=response.request,
        )


@lru_cache(maxsize=8)
def bounded_client(auth: tuple[str, str] | None, proxy: str | None) -> BoundedClient:
    """One for all models that send the same user and password; connections are kept open."""
    return BoundedClient(auth=auth, proxy=proxy, headers=PLAIN)


_PREFIX = "GROUNDWALK_LLM_"
_FIRST_WAIT = 0.5
_LONGEST_REASON = 200
"""Characters of what a server says of a prompt or a key that it refuses."""

_HINTS = {
    401: "check OPENAI_API_KEY",
    403: "check OPENAI_API_KEY",
    404: "check the address and the name of the model",
    429: "ask again later",
    503: "ask again later",
}
_MISTAKEN = (500, 501)
"""Statuses with which some servers answer to a format of the reply that they do not know."""
_BACKGROUND = Background()
"""One for all models: they share connections, and these are bound to a loop."""


class ServerSettings(BaseSettings):
    """From `GROUNDWALK_LLM_*`: how patient one is with the server of a chat LLM.

    `timeout` is in seconds and for the whole of one reply, with its attempts and the waits between
    them. `pause` is how long, in seconds, a server that failed three times in a row is left alone.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_file=".env", env_file_encoding="utf-8", extra="ignore"
    )

    timeout: float = Field(default=120, gt=0, le=3600)
    attempts: int = Field(default=3, ge=1, le=10)
    pause: float = Field(default=15, ge=0, le=3600)


def served_chat(source: str, model: str, address: str | None, key: str) -> "ServedChat":
    """The model of a name at an address, else at OpenAI's. Raises InputError for wrong settings."""
    check_env_file()
    try:
        patience = ServerSettings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = str(first["loc"][0]).upper()
        raise InputError(f"{_PREFIX}{field}: {first['msg']}", "see `.env.example`") from None
    address, auth = without_user(address)
    return ServedChat(
        source=source,
        patience=patience,
        model=model,
        base_url=address,
        api_key=SecretStr(key),
        temperature=0,
        timeout=patience.timeout,
        max_retries=0,
        disable_streaming=True,
        openai_proxy=None,
        http_socket_options=(),
        http_async_client=bounded_client(auth, os.environ.get("OPENAI_PROXY")),
    )


class ServedChat(ChatOpenAI):
    """LangChain's client, which is to make one attempt, within bounds of our own.

    Every call raises ServiceError where there is no reply, UnavailableError where the server is
    down, overloaded or too slow.
    """

    source: str
    """What errors call the server: without secrets."""
    patience: ServerSettings
    _circuit: Circuit = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Begin with a closed circuit."""
        super().model_post_init(context)
        self._circuit = Circuit(self.patience.pause)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with self._circuit.passing() as trying:
            return _BACKGROUND.run(self._within_timeout(messages, stop, trying, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await asyncio.to_thread(self._generate, messages, stop, None, **kwargs)

    async def _within_timeout(
        self, messages: list[BaseMessage], stop: list[str] | None, trying: bool, **kwargs: Any
    ) -> ChatResult:
        try:
            async with asyncio.timeout(self.patience.timeout) as clock:
                return await self._persist(messages, stop, trying, clock.when() or 0.0, **kwargs)
        except TimeoutError as error:
            raise UnavailableError(
                f"{self.source}: no reply within {self.patience.timeout:g} s",
                "set GROUNDWALK_LLM_TIMEOUT to more seconds",
            ) from error

    async def _persist(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None,
        trying: bool,
        deadline: float,
        **kwargs: Any,
    ) -> ChatResult:
        backoff = _FIRST_WAIT
        for seconds_left in reversed(range(1 if trying else self.patience.attempts)):
            wait, backoff = backoff, 2 * backoff
            try:
                return await super()._agenerate(messages, stop, None, **kwargs)
            except UnboundedError as error:
                hint = "check the address, and how the server replies"
                raise ServiceError(f"{self.source}: {error}", hint) from error
            except openai.APIConnectionError as error:
                mask_error(error, self._key())
                problem = UnavailableError(
                    f"{self.source}: {_reason(error)}",
                    "check the address, and that the server runs",
                )
                problem.__cause__ = error
            except openai.APIStatusError as error:
                asked = asked_to_wait(error.response.headers.get("retry-after", ""))
                mask_error(error, self._key())
                problem = self._refusal(error, asked)
                formed = "response_format" in kwargs.get("extra_body", {})
                if formed and error.status_code in _MISTAKEN:
                    raise RefusedError(problem.message, problem.hint) from error
                if not isinstance(problem, UnavailableError):
                    raise problem from error
                wait = max(wait, asked)
            except openai.APIError as error:
                mask_error(error, self._key())
                reason = one_line(str(error))[:_LONGEST_REASON]
                raise ServiceError(f"{self.source}: {reason}") from error
            except Exception as error:  # the client reads what came without looking at it first
                mask_error(error, self._key())
                raise ServiceError(
                    f"{self.source}: what came is no chat reply",
                    "check that this is the address of an OpenAI-compatible server",
                ) from error
            if not seconds_left or asyncio.get_running_loop().time() + wait > deadline:
                raise problem
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _key(self) -> str:
        key = self.openai_api_key
        return key.get_secret_value() if isinstance(key, SecretStr) else ""

    def _refusal(self, error: openai.APIStatusError, wait: float) -> ServiceError:
        status = error.status_code
        try:
            meaning = f"{status} {HTTPStatus(status).phrase}"
        except ValueError:
            meaning = str(status)
        if reason := masked(one_line(_message(error)), self._key())[:_LONGEST_REASON]:
            meaning = f"{meaning}: {reason}"
        hint = _HINTS.get(status, "")
        if status in (408, 409, 429) or status >= 500:
            later = f", asks to wait {wait:,.0f} s" if wait else ""
            return UnavailableError(f"{self.source}: {meaning}{later}", hint)
        return ServiceError(f"{self.source}: {meaning}", hint)


def _message(error: openai.APIStatusError) -> str:
    """What a server says in one of the usual forms; a page of HTML says nothing."""
    body: Any = error.body
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail")
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""


def _reason(error: openai.APIConnectionError) -> str:
    """Whether nobody is there, or somebody broke off; only what caused the error tells."""
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__name__ in ("ConnectError", "ConnectTimeout"):
            return "no connection"
        cause = cause.__cause__
    return "it broke off, or speaks no HTTP"
