"""Keras: layers, models made of them, and the training of models.

backend    what is current: the session, the learning phase, the names given
engine     what a layer is, what a model is, and how models are trained and saved
layers     the layers
"""
