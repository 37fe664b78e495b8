"""The layers of `tf.keras.layers`. Those of `tf.layers` are made of them.

configured      what all have in common: arguments are attributes and configuration
core            dense, activation, dropout, changes of shape, Lambda, embeddings
elementwise     activations with settings or weights, noise
convolutional   windows that slide along axes, with filters
pooling         windows that keep one number; margins cut off or added, repetition
normalization   of batches and of examples          merge   several inputs to one output
recurrent       a cell over time; recurrent_cells: the cells
wrappers        a layer for each step, or both ways
named           all of them by the names of their classes
"""
