"""Questions with operators, contrasts and walks, that no rule, template or model was made for."""
