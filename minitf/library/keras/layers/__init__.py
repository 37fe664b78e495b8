"""The layers of `tf.keras.layers`. Those of `tf.layers` are made of them.

configured      what all have in common: arguments are attributes and configuration
core            dense, activation, dropout, changes of shape, Lambda
sliding         windows along axes: convolutional, separable, pooling, local
margins         margins cut off or added, and repetition
normalization   of batches and of examples          noise       disturbance while training
embeddings      numbers to vectors                  attention   queries, values, keys
merge           several inputs to one output        advanced_activations
recurrent       a cell over time; recurrent_cells: the cells
wrappers        a layer for each step, or both ways
named           all of them by the names of their classes
"""
