"""The bundled world graph: countries, capitals, borders, languages and currencies as RDF."""
