"""The names of `tf.test`."""

from minitf.compat.local_cluster import create_local_cluster as create_local_cluster
from minitf.compat.testing.benchmark import Benchmark as Benchmark
from minitf.compat.testing.benchmark import benchmark_config as benchmark_config
from minitf.compat.testing.googletest import get_temp_dir as get_temp_dir
from minitf.compat.testing.googletest import gpu_device_name as gpu_device_name
from minitf.compat.testing.googletest import is_built_with_cuda as is_built_with_cuda
from minitf.compat.testing.googletest import is_built_with_gpu_support as is_built_with_gpu_support
from minitf.compat.testing.googletest import is_built_with_rocm as is_built_with_rocm
from minitf.compat.testing.googletest import is_built_with_xla as is_built_with_xla
from minitf.compat.testing.googletest import is_gpu_available as is_gpu_available
from minitf.compat.testing.googletest import main as main
from minitf.compat.testing.googletest import test_src_dir_path as test_src_dir_path
from minitf.compat.testing.gradient_checker import compute_gradient as compute_gradient
from minitf.compat.testing.gradient_checker import compute_gradient_error as compute_gradient_error
from minitf.compat.testing.more_assertions import StubOutForTesting as StubOutForTesting
from minitf.compat.testing.test_case import TestCase as TestCase
from minitf.compat.testing.test_util import assert_equal_graph_def as assert_equal_graph_def
from unittest import mock as mock
