"""Metrics of Keras: objects that add up over the batches.

base.py        `Metric`, and the means and sums that most metrics are
metrics.py     means of functions, such as accuracies; counts of true and false positives and
               negatives; metrics by their names
"""
