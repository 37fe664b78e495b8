"""tf.profiler: parameters and operations on numbers, and the report of them."""

from pathlib import Path

import pytest

import minitf as tf

Builder = tf.profiler.ProfileOptionBuilder


def _network() -> None:
    x = tf.placeholder(tf.float32, [8, 28, 28, 1])
    with tf.variable_scope("conv"):
        y = tf.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu, name="c1")
    pooled = tf.layers.flatten(tf.layers.max_pooling2d(y, 2, 2))
    tf.nn.softmax(tf.layers.dense(pooled, 10, name="fc"))


def test_operations_are_counted_as_tensorflow_counts_them() -> None:
    _network()
    options = Builder(Builder.float_operation()).with_empty_output().build()
    root = tf.profiler.profile(tf.get_default_graph(), options=options)
    names = {"conv/c1/Conv2D": 451584, "conv/c1/BiasAdd": 25088, "max_pooling2d/MaxPool": 25088,
             "fc/MatMul": 125440, "fc/BiasAdd": 80, "Softmax": 400}  # fmt: skip
    assert {name: root.below(name).float_ops for name in names} == names


def test_parameters_are_shown_scope_by_scope(capsys: pytest.CaptureFixture[str]) -> None:
    _network()
    root = tf.profiler.profile(options=Builder.trainable_variables_parameter())
    assert root.total_parameters == 7890
    report = capsys.readouterr().out
    lines = report[report.index("_TFProfRoot") :].splitlines()
    assert lines[:7] == [
        "_TFProfRoot (--/7.89k params)",
        "  conv (--/40 params)",
        "    conv/c1 (--/40 params)",
        "      conv/c1/bias (4, 4/4 params)",
        "      conv/c1/kernel (3x3x1x4, 36/36 params)",
        "  fc (--/7.85k params)",
        "    fc/bias (10, 10/10 params)",
    ]


def test_a_report_goes_to_a_file(tmp_path: Path) -> None:
    tf.get_variable("w", [2, 3])
    options = Builder(Builder.trainable_variables_parameter())
    path = tmp_path / "report.txt"
    tf.profiler.profile(options=options.with_file_output(str(path)).build())
    assert "w (2x3, 6/6 params)" in path.read_text()


def test_times_and_memory_are_those_of_a_traced_step(tmp_path: Path) -> None:
    product = tf.matmul(tf.get_variable("w", [54, 5]), tf.ones([5, 2]), name="product")
    metadata, traced = tf.RunMetadata(), tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(product, options=traced, run_metadata=metadata)
    for stats in metadata.step_stats.dev_stats[0].node_stats:
        stats.all_end_rel_micros = 1500
    path = tmp_path / "report"
    options = Builder(Builder.time_and_memory()).with_min_execution_time(min_micros=1000)
    profiler = tf.profiler.Profiler(tf.get_default_graph())
    profiler.add_step(0, metadata)
    root = profiler.profile_operations(options.with_file_output(str(path)).build())
    assert root.below("MatMul").exec_micros == root.below("MatMul").total_cpu_exec_micros == 1500
    assert "  MatMul (432B/432B, 1.50ms/1.50ms, --/0us, 1.50ms/1.50ms)" in path.read_text()
    assert profiler.profile_name_scope(options.build()).below("product").requested_bytes == 432
    profiler.profile_graph(options.with_timeline_output(str(path)).build())
    assert "traceEvents" in (tmp_path / "report_0").read_text()


def test_a_library_of_operations_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"no\.so: cannot open shared object file"):
        tf.load_op_library(str(tmp_path / "no.so"))
    (tmp_path / "ops.so").write_bytes(b"")
    with pytest.raises(tf.errors.NotFoundError, match="no machine code of others"):
        tf.load_op_library(str(tmp_path / "ops.so"))
