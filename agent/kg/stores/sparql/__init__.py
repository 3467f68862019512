"""A KG behind a SPARQL 1.1 endpoint: its triples, its names, and how it is asked."""

from typing import NamedTuple

from ...profile import GENERIC, Profile
from .about import Terms
from .client import SparqlClient
from .labels import SparqlLabels
from .settings import EndpointSettings, endpoint_settings
from .store import SparqlStore

__all__ = [
    "Endpoint",
    "EndpointSettings",
    "SparqlLabels",
    "SparqlStore",
    "endpoint_settings",
    "open_endpoint",
]


class Endpoint(NamedTuple):
    """An opened endpoint. `address` is its whole URL without credentials, `source` for people."""

    store: SparqlStore
    labels: SparqlLabels
    source: str
    address: str


def open_endpoint(
    url: str, *, profile: Profile = GENERIC, settings: EndpointSettings | None = None
) -> Endpoint:
    """Open an endpoint and see that it answers; closing the labels closes it.

    Raises KGError for an address that is none or an empty graph, InputError for wrong settings,
    ServiceError when the endpoint does not answer.
    """
    client = SparqlClient(url, settings or endpoint_settings())
    terms = Terms(client, profile)
    store = SparqlStore(client, profile=profile, terms=terms)
    labels = SparqlLabels(client, profile=profile, terms=terms, look_around=store.look_around)
    try:
        store.check()
    except BaseException:
        labels.close()
        raise
    return Endpoint(store, labels, client.source, client.address)
