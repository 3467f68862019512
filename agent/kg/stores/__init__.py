"""Where the triples of a KG are: in Oxigraph, in rdflib, or behind a SPARQL endpoint."""
