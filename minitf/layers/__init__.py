"""Layers of networks that own their variables. The package is at the same time `tf.layers`.

`base.py` says what a layer is; the other files hold the layers, each as a class and as a function
that makes one and calls it.
"""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.layers.base: Layer
minitf.layers.convolutional: Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose conv1d conv2d
    conv2d_transpose conv3d conv3d_transpose
minitf.layers.core: Dense Dropout Flatten dense dropout flatten
minitf.layers.input_spec: InputSpec
minitf.layers.normalization: BatchNormalization batch_normalization
minitf.layers.pooling: AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D
    MaxPooling2D MaxPooling3D average_pooling1d average_pooling2d average_pooling3d max_pooling1d
    max_pooling2d max_pooling3d
minitf.layers.separable: SeparableConv1D SeparableConv2D separable_conv1d separable_conv2d
""",
)
