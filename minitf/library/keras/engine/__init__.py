"""What a layer is, and what a model made of layers is.

base_layer.py   `Layer`: owns variables, is built at its first call
node.py         one call of a layer: which tensors went in and which came out
network.py      layers joined by tensors, which act as one layer
"""
