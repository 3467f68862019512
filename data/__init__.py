"""The bundled knowledge graph and the bundled model, with the recipes that make them."""
