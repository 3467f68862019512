"""Settings come from variables, and secrets never show."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError, ServiceError
from groundwalk.agent.kg.stores.sparql import EndpointSettings, endpoint_settings, open_endpoint
from groundwalk.agent.kg.stores.sparql.client import SparqlClient
from groundwalk.agent.kg.stores.sparql.store import SparqlStore

from .endpoint import Endpoint, Handler

SECRETS = ("s3cret", "t0ken", "k3y", "pa55")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No settings of the developer's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("USER", "PASSWORD", "TOKEN", "HEADERS", "METHOD", "TIMEOUT", "GRAPHS"):
        monkeypatch.delenv(f"GROUNDWALK_SPARQL_{name}", raising=False)
    yield


def test_variables_then_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert endpoint_settings() == EndpointSettings()
    (tmp_path / ".env").write_text("GROUNDWALK_SPARQL_TIMEOUT=9\nGROUNDWALK_SPARQL_TOKEN=t0ken\n")
    monkeypatch.setenv("GROUNDWALK_SPARQL_TIMEOUT", "2.5")
    monkeypatch.setenv("GROUNDWALK_SPARQL_METHOD", "get")
    monkeypatch.setenv("GROUNDWALK_SPARQL_HEADERS", '{"X-Key": "k3y"}')
    found = endpoint_settings(graphs=("<urn:g>",))
    assert (found.timeout, found.method, found.graphs) == (2.5, "get", ("<urn:g>",))
    assert found.token.get_secret_value() == "t0ken"
    assert found.headers["X-Key"].get_secret_value() == "k3y"
    assert not any(secret in f"{found!r} {found}" for secret in SECRETS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TIMEOUT", "s3cret"),
        ("TIMEOUT", "0"),
        ("TIMEOUT", "inf"),
        ("METHOD", "s3cret"),
        ("HEADERS", "s3cret"),
        ("HEADERS", '["s3cret"]'),
        ("HEADERS", '{"X": "s3cret\\nX-Other: 1"}'),
        ("HEADERS", '{"s3cret: ": "1"}'),
        ("TOKEN", "s3cret\r\nX: 1"),
        ("USER", "s3cret:x"),
        ("GRAPHS", '["s3cret"]'),
        ("GRAPHS", '["_:s3cret"]'),
    ],
)
def test_wrong_settings_are_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"GROUNDWALK_SPARQL_{name}", value)
    with pytest.raises(InputError, match=f"^GROUNDWALK_SPARQL_{name}[: ]") as raised:
        endpoint_settings()
    assert "s3cret" not in f"{raised.value} {raised.value.hint}"
    assert raised.value.__suppress_context__
    assert "\n" not in str(raised.value)


def test_one_way_in() -> None:
    with pytest.raises(InputError, match="both"):
        endpoint_settings(user="alice", token="t0ken")


def test_secrets_never_show(endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    address = endpoint.url.replace("://", "://bob:pa55@") + "?x=1"
    settings = endpoint_settings(headers={"X-Key": "k3y"}, attempts=2)

    def refuses(handler: Handler) -> bool:
        handler.reply(401, b"bob:pa55 k3y Basic Ym9iOnBhNTU=")
        return True

    endpoint.misbehaviour = refuses
    with pytest.raises(ServiceError, match="401") as raised:
        open_endpoint(address, settings=settings)
    sent = endpoint.asked[-1].headers
    assert sent["Authorization"] == "Basic Ym9iOnBhNTU="
    assert sent["X-Key"] == "k3y"
    client = SparqlClient(address, settings)
    shown = f"{raised.value!r} {raised.value.hint} {client!r} {client.source} {client.address}"
    assert client.address == f"{endpoint.url}?x=1"
    assert SparqlStore(client).source == endpoint.url
    client.close()
    for text in (shown, caplog.text):
        assert not any(secret in text for secret in (*SECRETS, "Ym9iOnBhNTU="))
