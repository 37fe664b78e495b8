"""The layers of `tf.keras.layers`. Those of `tf.layers` are made of them.

configured      what all have in common: arguments are attributes and configuration
core            dense, activations, dropout, noise, changes of shape, Lambda, embeddings
convolutional   convolutions, pooling, padding, upsampling
normalization   of batches and of examples          merge   several inputs to one output
recurrent       a cell over time, a layer for each step or both ways; recurrent_cells: the cells
named           all of them by the names of their classes
"""
