"""A KG behind a SPARQL 1.1 endpoint: its triples, its names, and how it is asked."""

from functools import partial
from typing import NamedTuple

from ....errors import ServiceError
from ...files import detecting
from ...nodes import lexical_form
from ...profile import AUTO, GENERIC, Profile
from .about import Terms
from .beside import side_by_side
from .client import SparqlClient
from .labels import SparqlLabels
from .queries import Query, Scope, in_graphs
from .settings import EndpointSettings, endpoint_settings
from .store import SparqlStore
from .unnamed import UnnamedNodes

__all__ = [
    "Endpoint",
    "EndpointSettings",
    "SparqlLabels",
    "SparqlStore",
    "endpoint_settings",
    "open_endpoint",
]


class Endpoint(NamedTuple):
    """An opened endpoint, read by a profile, which is the one that it asks for where that is open.

    `address` is its whole URL without credentials, `source` for people.
    """

    store: SparqlStore
    labels: SparqlLabels
    nodes: UnnamedNodes
    profile: Profile
    source: str
    address: str


def open_endpoint(
    url: str, *, profile: Profile = GENERIC, settings: EndpointSettings | None = None
) -> Endpoint:
    """Open an endpoint and see that it answers; closing the labels closes it.

    The profile `auto` is settled by what is there, where the endpoint tells within ten seconds.
    Raises KGError for an address that is none or an empty graph, InputError for wrong settings,
    ServiceError when the endpoint does not answer.
    """
    client = SparqlClient(url, settings or endpoint_settings())
    try:
        check = SparqlStore(client).check
        detect = partial(_detected, client, profile)
        _, settled = side_by_side(check, detect if profile.name == AUTO.name else lambda: profile)
    except BaseException:
        client.close()
        raise
    terms = Terms(client, settled)
    store = SparqlStore(client, profile=settled, terms=terms)
    labels = SparqlLabels(client, profile=settled, terms=terms, look_around=store.look_around)
    nodes = UnnamedNodes(client, settled, store.follow_each)
    return Endpoint(store, labels, nodes, settled, client.source, client.address)


_MOST_COUNTED = 5_000
"""Of everything that is counted; where there is more on both sides it decides nothing."""
_SECONDS = 10.0


def _detected(client: SparqlClient, profile: Profile) -> Profile:
    """The profile that an endpoint asks for; `generic` where it does not tell."""
    scope = Scope(client.settings.graphs)

    def counts(*patterns: str) -> list[int]:
        counting = [
            f"SELECT (COUNT(*) AS ?n{index}) WHERE {{ {{ SELECT * WHERE {{ "
            f"{in_graphs(scope, pattern)} }} LIMIT {_MOST_COUNTED} }} }}"
            for index, pattern in enumerate(patterns)
        ]
        names = tuple(f"n{index}" for index in range(len(patterns)))
        text = f"SELECT * WHERE {{ {' '.join(f'{{ {part} }}' for part in counting)} }}"
        (row,) = client.select(Query(text, names), timeout=_SECONDS).rows
        return [int(lexical_form(number or "")) for number in row]

    few = (detecting.OF_CLASSES, detecting.OF_CONCEPTS, detecting.AXIOMS, detecting.ORDERS)
    try:
        (classes, concepts, axioms, orders), (entities,), (facts,) = side_by_side(
            partial(counts, *few),
            partial(counts, detecting.OF_THINGS),
            partial(counts, detecting.FACTS),
        )
    except (ServiceError, ValueError):
        return detecting.profile_of(_NOTHING, profile.languages)
    content = detecting.Content(classes, concepts, entities, axioms, lambda: facts, orders)
    return detecting.profile_of(content, profile.languages)


_NOTHING = detecting.Content(0, 0, 0, 0, lambda: 0, 0)
