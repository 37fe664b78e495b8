"""Decision trees: grown by histograms and boosted, or grown at random as examples come by.

forest.py         trees as arrays: routing, histograms, best splits, one layer more
tree_ops.py       these as operations of a graph
boosted_trees.py  the estimators
"""
