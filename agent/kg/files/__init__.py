"""Reading RDF files and tables of triples, and building a KG folder of them."""
