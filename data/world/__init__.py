"""The bundled world graph: countries, cities, waters, mountains and organisations as RDF."""
