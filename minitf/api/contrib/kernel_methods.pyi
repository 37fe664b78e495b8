"""The names of `tf.contrib.kernel_methods`."""

from minitf.compat.contrib.kernel_methods import KernelLinearClassifier as KernelLinearClassifier
from minitf.compat.contrib.kernel_methods import RandomFourierFeatureMapper as RandomFourierFeatureMapper
from minitf.compat.contrib.kernel_methods import sparse_multiclass_hinge_loss as sparse_multiclass_hinge_loss
