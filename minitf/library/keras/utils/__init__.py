"""Helpers of Keras that programs use, too."""
