"""How a KG is read: statement nodes collapsed, OWL and RDFS honoured; real triples as proof.

A reading presents virtual facts to walks, in layers over the user's store:

    Plain        the facts as they are
    Entailed     `owl:inverseOf`, `rdfs:subPropertyOf`     --infer inverse-of,sub-property-of
    Statement    what statements about triples are of      --mediators collapse
    Merged       `owl:sameAs`: what is one is one node     --infer same-as
    Collapsed    `h -> mediator -> t` is one step          --mediators collapse

`Walks.prove` turns a path of virtual steps back into one of real triples. Only those are verified,
shown, written and scored.
"""

from .options import Mediators, Reading, reading_of
from .walks import Walks

__all__ = ["Mediators", "Reading", "Walks", "reading_of"]
