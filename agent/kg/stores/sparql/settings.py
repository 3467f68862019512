"""How an endpoint is asked: credentials, request form, limits. From `GROUNDWALK_SPARQL_*`."""

import re
from typing import Literal, TypeAlias

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from ....errors import InputError
from ....settings import check_env_file
from ...terms import Term, is_iri
from .queries import can_ask

Method: TypeAlias = Literal["form", "direct", "get"]
"""The three ways in which the SPARQL 1.1 Protocol (section 2.1) carries a query."""

PREFIX = "GROUNDWALK_SPARQL_"

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PRINTABLE = re.compile(r"[\x20-\x7e]*")


class EndpointSettings(BaseSettings):
    """What a client of an endpoint needs to know; secrets are masked wherever this is shown.

    `timeout` is in seconds and for the whole of one question, with its retries and the waits
    between them; `connect_timeout` for one connection. `pause` is how long, in seconds, an endpoint
    that failed three times in a row is left alone. `max_bytes` caps one answer, unpacked.
    Without `graphs`, the endpoint's default graph is read; with them, the union of those.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    user: str = ""
    password: SecretStr = SecretStr("")
    token: SecretStr = SecretStr("")
    headers: dict[str, SecretStr] = {}
    method: Method = "form"
    timeout: float = Field(default=60, gt=0, le=3600)
    connect_timeout: float = Field(default=5, gt=0, le=3600)
    attempts: int = Field(default=4, ge=1, le=10)
    pause: float = Field(default=15, ge=0, le=3600)
    max_bytes: int = Field(default=128 * 2**20, ge=1)
    graphs: tuple[Term, ...] = ()

    @field_validator("headers")
    @classmethod
    def _headers(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, value in headers.items():
            if not _TOKEN.fullmatch(name):
                raise ValueError("a name is not that of a header")
            if not _PRINTABLE.fullmatch(value.get_secret_value()):
                raise ValueError(f"the value of {name} is not one line of ASCII text")
        return headers

    @field_validator("token")
    @classmethod
    def _one_line(cls, token: SecretStr) -> SecretStr:
        if not _PRINTABLE.fullmatch(token.get_secret_value()):
            raise ValueError("not one line of ASCII text")
        return token

    @field_validator("graphs")
    @classmethod
    def _iris(cls, graphs: tuple[Term, ...]) -> tuple[Term, ...]:
        if not all(is_iri(graph) and can_ask(graph) for graph in graphs):
            raise ValueError("a named graph is an IRI in angle brackets")
        return graphs

    @model_validator(mode="after")
    def _one_way_in(self) -> "EndpointSettings":
        if self.token.get_secret_value() and self.user:
            raise ValueError("a user and a token cannot both be given")
        if ":" in self.user:
            raise ValueError("the name of a user holds no colon")
        return self


def endpoint_settings(**given: object) -> EndpointSettings:
    """The settings of this process, with what is `given` before variables and `.env`.

    Raises InputError, which names the setting and never its value.
    """
    check_env_file()
    try:
        return EndpointSettings(**given)  # pyright: ignore[reportArgumentType]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = str(first["loc"][0]).upper() if first["loc"] else "USER"
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{PREFIX}{field}: {message}", "see `.env.example`") from None
    except SettingsError as error:
        match = re.search(r'field "(\w+)"', str(error))
        field = match[1].upper() if match else "HEADERS"
        raise InputError(f"{PREFIX}{field} is not JSON", 'write {"name": "value"}') from None
