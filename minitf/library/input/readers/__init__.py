"""Readers: operations that take records out of files whose names stand in a queue."""
