"""tf.profiler: parameters and operations on numbers, and the report of them."""

import re
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


def _traced(kind: str) -> tf.RunMetadata:
    """A step of two operations, of 5 ms and 29 us, made at two lines, on a CPU or a GPU."""
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")
    with tf.name_scope("layer"):
        y = tf.nn.conv2d(x, tf.get_variable("w", [3, 3, 3, 4]), [1, 1, 1, 1], "SAME")
        y = tf.nn.relu(y)
    with tf.name_scope("BatchNorm"):
        tf.multiply(y, 2.0)
    metadata = tf.RunMetadata()
    device = metadata.step_stats.dev_stats.add(device=f"/job:localhost/device:{kind}:0")
    for name, op, start, micros in [
        ("layer/Conv2D", "Conv2D", 100, 5010), ("layer/Relu", "Relu", 29000, 29)
    ]:  # fmt: skip
        device.node_stats.add(
            node_name=name, op=op, all_start_micros=start, all_end_rel_micros=micros
        )
    return metadata


def test_advice_names_what_is_slow(capsys: pytest.CaptureFixture[str]) -> None:
    """The texts are those of TensorFlow for such a step."""
    metadata = _traced("CPU")
    advice = tf.profiler.advise(run_meta=metadata)
    printed = capsys.readouterr().out
    expensive = advice.checkers["ExpensiveOperationChecker"].reports
    assert expensive[:2] == [
        "top 1 operation type: Conv2D, cpu: 5.01ms, accelerator: 0us, total: 5.01ms (99.42%)\n"
        "top 2 operation type: Relu, cpu: 29us, accelerator: 0us, total: 29us (0.58%)",
        "top 1 graph node: layer, cpu: 0us, accelerator: 0us, total: 0us",
    ]
    line = "cpu: 5.01ms, accelerator: 0us, total: 5.01ms"
    assert re.fullmatch(rf"test_profiler\.py:\d+:_traced, {line}", expensive[2])
    assert advice.checkers["OperationChecker"].reports == [
        "Maybe use faster FusedBatchNorm instead of BatchNorm"
    ]
    assert "\nExpensiveOperationChecker:\ntop 1 operation type: Conv2D" in printed
    profiler = tf.profiler.Profiler(tf.get_default_graph())
    profiler.add_step(0, metadata)
    again = profiler.advise({"ExpensiveOperationChecker": {}})
    assert again.checkers == {
        "ExpensiveOperationChecker": advice.checkers["ExpensiveOperationChecker"]
    }
    untimed = tf.profiler.advise(tf.get_default_graph())
    assert untimed.checkers["ExpensiveOperationChecker"].reports == []


def test_advice_on_a_gpu() -> None:
    advice = tf.profiler.advise(run_meta=_traced("GPU"))
    assert advice.checkers["AcceleratorUtilizationChecker"].reports == [
        "device: /job:localhost/device:gpu:0 low utilization: 0.17"
    ]
    nchw = "Found operation using NHWC data_format on GPU. Maybe NCHW is faster."
    assert nchw in advice.checkers["OperationChecker"].reports


def test_a_log_of_operations_is_tensorflows(tmp_path: Path) -> None:
    _network()
    given = tf.profiler.OpLogProto()
    given.log_entries.add(name="fc/MatMul", float_ops=7, types=["mine"])
    tf.profiler.write_op_log(tf.get_default_graph(), str(tmp_path), given)
    (path,) = tmp_path.iterdir()
    assert path.name == "tfprof_log"
    log = tf.profiler.OpLogProto.FromString(path.read_bytes())
    entries = {entry.name: entry for entry in log.log_entries}
    assert len(log.log_entries) == len(entries) == len(tf.get_default_graph().get_operations())
    assert (entries["fc/MatMul"].float_ops, *entries["fc/MatMul"].types) == (7, "mine")
    assert entries["conv/c1/Conv2D"].float_ops == 451584
    assert entries["conv/c1/kernel"].types == ["_trainable_variables"]
    trace = entries["Softmax"].code_def.traces[-1]
    assert log.id_to_string[trace.function_id] == "_network"
    assert log.id_to_string[trace.file_id] == __file__
    assert "tf.nn.softmax(tf.layers.dense" in log.id_to_string[trace.line_id]
    tf.profiler.write_op_log(None, str(tmp_path), add_trace=False)
    log = tf.profiler.OpLogProto.FromString(path.read_bytes())
    assert not any(entry.code_def.traces for entry in log.log_entries)
    assert {"conv/c1/kernel", "fc/MatMul"} <= {entry.name for entry in log.log_entries}
    assert "x" not in {entry.name for entry in log.log_entries}


def test_a_library_of_operations_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"no\.so: cannot open shared object file"):
        tf.load_op_library(str(tmp_path / "no.so"))
    with pytest.raises(tf.errors.NotFoundError, match="cannot open shared object"):
        tf.load_library(library_location=str(tmp_path / "no"))
    with pytest.raises(tf.errors.NotFoundError, match="cannot open shared object"):
        tf.load_file_system_library(str(tmp_path / "no.so"))
    (tmp_path / "ops.so").write_bytes(b"")
    with pytest.raises(tf.errors.NotFoundError, match="no machine code of others"):
        tf.load_op_library(str(tmp_path / "ops.so"))
