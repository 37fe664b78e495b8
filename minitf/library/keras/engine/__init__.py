"""What a layer is, what a model made of layers is, and how it is trained.

calls.py        one call of a layer: which tensors went in and which came out
collected.py    what a layer has for training: losses, updates, metrics
base_layer.py   `Layer`: owns variables, is built at its first call
input_layer.py  `Input`, and layers of operations
structure.py    how layers are joined: as a map, as data, as a table
network.py      `Network`: layers joined by tensors, which act as one layer
compiled.py     losses and metrics of each output
data.py         what `fit` is given, as batches
steps.py        what is done with a batch: in a graph, eagerly, in replicas
training.py     `Model`: compile, fit, evaluate, predict
sequential.py   `Sequential`, and models made again
"""
