"""From a session to files, and back: checkpoints, meta graphs, saved models."""
