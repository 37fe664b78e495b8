"""The namespace `tf.test`: names only."""

from unittest import mock

from minitf.compat.local_cluster import create_local_cluster
from minitf.testing.googletest import (
    get_temp_dir,
    gpu_device_name,
    is_built_with_cuda,
    is_built_with_gpu_support,
    is_built_with_rocm,
    is_built_with_xla,
    is_gpu_available,
    main,
    test_src_dir_path,
)
from minitf.testing.gradient_checker import compute_gradient, compute_gradient_error
from minitf.testing.test_case import TestCase
from minitf.testing.test_util import assert_equal_graph_def

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
