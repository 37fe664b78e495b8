"""Data made ready for a model: sequences, texts, images."""
