"""Training of the general reader on questions over many schemas."""
