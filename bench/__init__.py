"""Benchmarks: minitf beside TensorFlow 2.15.1, measured in turns."""
