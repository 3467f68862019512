"""What comes of walks and queries: records of the state, the vote, proofs, and what stands."""
