"""The names of `tf.test`."""

from minitf.compat.local_cluster import create_local_cluster as create_local_cluster
from minitf.compat.testing.googletest import get_temp_dir as get_temp_dir
from minitf.compat.testing.googletest import gpu_device_name as gpu_device_name
from minitf.compat.testing.googletest import is_built_with_cuda as is_built_with_cuda
from minitf.compat.testing.googletest import is_gpu_available as is_gpu_available
from minitf.compat.testing.googletest import main as main
from minitf.compat.testing.test_case import TestCase as TestCase
from unittest import mock as mock
