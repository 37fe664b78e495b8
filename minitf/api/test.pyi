"""The names of `tf.test`."""

from minitf.compat.testing import TestCase as TestCase
from minitf.compat.testing import create_local_cluster as create_local_cluster
from minitf.compat.testing import get_temp_dir as get_temp_dir
from minitf.compat.testing import gpu_device_name as gpu_device_name
from minitf.compat.testing import is_built_with_cuda as is_built_with_cuda
from minitf.compat.testing import is_gpu_available as is_gpu_available
from minitf.compat.testing import main as main
from unittest import mock as mock
