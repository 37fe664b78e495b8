"""Networks that are known by their names: VGG, ResNet, MobileNet, Inception.

Each is a table of blocks; `network.py` gives it an input, a top and, if wanted, trained weights.
"""
