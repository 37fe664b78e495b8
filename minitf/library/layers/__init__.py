"""Layers of networks that own their variables: `tf.layers`.

`base.py` says what a layer is; the other files hold the layers, each as a class and as a function
that makes one and calls it.
"""
