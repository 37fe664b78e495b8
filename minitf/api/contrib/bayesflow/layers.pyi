"""The names of `tf.contrib.bayesflow.layers`."""

from minitf.compat.contrib.variational_layers import Conv1DFlipout as Conv1DFlipout
from minitf.compat.contrib.variational_layers import Conv1DReparameterization as Conv1DReparameterization
from minitf.compat.contrib.variational_layers import Conv2DFlipout as Conv2DFlipout
from minitf.compat.contrib.variational_layers import Conv2DReparameterization as Conv2DReparameterization
from minitf.compat.contrib.variational_layers import Conv3DFlipout as Conv3DFlipout
from minitf.compat.contrib.variational_layers import Conv3DReparameterization as Conv3DReparameterization
from minitf.compat.contrib.variational_layers import Conv1DFlipout as Convolution1DFlipout
from minitf.compat.contrib.variational_layers import Conv1DReparameterization as Convolution1DReparameterization
from minitf.compat.contrib.variational_layers import Conv2DFlipout as Convolution2DFlipout
from minitf.compat.contrib.variational_layers import Conv2DReparameterization as Convolution2DReparameterization
from minitf.compat.contrib.variational_layers import Conv3DFlipout as Convolution3DFlipout
from minitf.compat.contrib.variational_layers import Conv3DReparameterization as Convolution3DReparameterization
from minitf.compat.contrib.variational_layers import DenseFlipout as DenseFlipout
from minitf.compat.contrib.variational_layers import DenseLocalReparameterization as DenseLocalReparameterization
from minitf.compat.contrib.variational_layers import DenseReparameterization as DenseReparameterization
from minitf.compat.contrib.variational_layers import conv1d_flipout as conv1d_flipout
from minitf.compat.contrib.variational_layers import conv1d_reparameterization as conv1d_reparameterization
from minitf.compat.contrib.variational_layers import conv2d_flipout as conv2d_flipout
from minitf.compat.contrib.variational_layers import conv2d_reparameterization as conv2d_reparameterization
from minitf.compat.contrib.variational_layers import conv3d_flipout as conv3d_flipout
from minitf.compat.contrib.variational_layers import conv3d_reparameterization as conv3d_reparameterization
from minitf.compat.contrib.variational_layers import conv1d_flipout as convolution1d_flipout
from minitf.compat.contrib.variational_layers import conv1d_reparameterization as convolution1d_reparameterization
from minitf.compat.contrib.variational_layers import conv2d_flipout as convolution2d_flipout
from minitf.compat.contrib.variational_layers import conv2d_reparameterization as convolution2d_reparameterization
from minitf.compat.contrib.variational_layers import conv3d_flipout as convolution3d_flipout
from minitf.compat.contrib.variational_layers import conv3d_reparameterization as convolution3d_reparameterization
from minitf.compat.contrib.variational_layers import default_loc_scale_fn as default_loc_scale_fn
from minitf.compat.contrib.variational_layers import default_mean_field_normal_fn as default_mean_field_normal_fn
from minitf.compat.contrib.variational_layers import dense_flipout as dense_flipout
from minitf.compat.contrib.variational_layers import dense_local_reparameterization as dense_local_reparameterization
from minitf.compat.contrib.variational_layers import dense_reparameterization as dense_reparameterization

__all__ = [
    "Conv1DFlipout", "Conv1DReparameterization", "Conv2DFlipout", "Conv2DReparameterization",
    "Conv3DFlipout", "Conv3DReparameterization", "Convolution1DFlipout",
    "Convolution1DReparameterization", "Convolution2DFlipout",
    "Convolution2DReparameterization", "Convolution3DFlipout",
    "Convolution3DReparameterization", "DenseFlipout", "DenseLocalReparameterization",
    "DenseReparameterization", "conv1d_flipout", "conv1d_reparameterization", "conv2d_flipout",
    "conv2d_reparameterization", "conv3d_flipout", "conv3d_reparameterization",
    "convolution1d_flipout", "convolution1d_reparameterization", "convolution2d_flipout",
    "convolution2d_reparameterization", "convolution3d_flipout",
    "convolution3d_reparameterization", "default_loc_scale_fn", "default_mean_field_normal_fn",
    "dense_flipout", "dense_local_reparameterization", "dense_reparameterization"
]
