"""Whether paths, and chains that any system claims, are true in the user's store."""
