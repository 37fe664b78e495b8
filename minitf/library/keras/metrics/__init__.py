"""Metrics of Keras: objects that add up over the batches.

base.py        `Metric`, and the means and sums that most metrics are
functions.py   what one example scores: accuracies
means.py       metrics that are the mean of a function
counts.py      metrics made of true and false positives and negatives
named.py       metrics by their names
"""
