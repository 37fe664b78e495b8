"""Decision trees: grown by histograms and boosted, or grown at random as examples come by.

forest.py         boosted trees as arrays, and their operations
boosted_trees.py  the estimators
"""
