"""The names of `tf.contrib.gan.features`."""

from minitf.compat.contrib.gan_features import VBN as VBN
from minitf.compat.contrib.gan_features import compute_spectral_norm as compute_spectral_norm
from minitf.compat.contrib.gan_features import condition_tensor as condition_tensor
from minitf.compat.contrib.gan_features import condition_tensor_from_onehot as condition_tensor_from_onehot
from minitf.compat.contrib.gan_features import spectral_norm_regularizer as spectral_norm_regularizer
from minitf.compat.contrib.gan_features import spectral_normalization_custom_getter as spectral_normalization_custom_getter
from minitf.compat.contrib.gan_features import spectral_normalize as spectral_normalize
from minitf.compat.contrib.gan_features import tensor_pool as tensor_pool
