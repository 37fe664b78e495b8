"""Summaries and the writer of the files that TensorBoard reads."""
