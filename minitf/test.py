"""The namespace `tf.test`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.compat.local_cluster: create_local_cluster
minitf.testing.benchmark: Benchmark benchmark_config
minitf.testing.googletest: get_temp_dir gpu_device_name is_built_with_cuda
    is_built_with_gpu_support is_built_with_rocm is_built_with_xla is_gpu_available main
    test_src_dir_path
minitf.testing.gradient_checker: compute_gradient compute_gradient_error
minitf.testing.test_case: TestCase
minitf.testing.test_util: assert_equal_graph_def
unittest: mock
""",
)
