"""Cards: streams, copies, graphs and products of matrices, on a stand-in for CuPy.

No line of this has met a card: cupy_double.py refuses what CuPy's own sources refuse.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from bench.workloads import cnn, lstm, mlp
from minitf.core.graph.op_def import OpDef
from minitf.fast.cuda import gpu, gpu_blas
from minitf.fast.cuda.kernels_on_gpu import on_card
from minitf.fast.kernels.program import COLUMN, FULL, ROW, Builder
from tests.fast.cuda import cupy_double as double


@pytest.fixture(autouse=True)
def blas(monkeypatch: pytest.MonkeyPatch) -> Iterator[double.FakeBlas]:
    with tf.Graph().as_default():
        yield double.install(monkeypatch, 2)


def events() -> list[str]:
    """What happened on the streams since the last look, without repeats in a row."""
    kinds = [entry[0] for entry in double.log]
    double.log.clear()
    return [k for i, k in enumerate(kinds) if i == 0 or k != kinds[i - 1]]


# ---- streams and copies ------------------------------------------------------------------


def test_a_step_on_a_card_is_one_program_that_waits_once() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.nn.relu(tf.matmul(x, tf.ones([3, 2])) - 2.0)
    z = y * 3.0
    with tf.Session() as sess:
        value = np.arange(6, dtype=np.float32).reshape(2, 3)
        sess.run([y, z], {x: value})
        double.log.clear()
        first, second = sess.run([y, z], {x: value + 1})
        assert sess.explain([y, z], [x]).count("def step(") == 1
    wanted = np.maximum((value + 1) @ np.ones((3, 2)) - 2, 0)
    np.testing.assert_allclose(first, wanted)
    np.testing.assert_allclose(second, wanted * 3)
    assert sum(entry[0] == "synchronize" for entry in double.log) == 1
    assert {entry[2] for entry in double.log if entry[0] == "get"} == {"goes on"}
    assert {e[-1] for e in double.log if e[0] == "kernel"} == {"stream of card 0"}


def test_cards_wait_for_each_other_by_events_and_the_host_does_not() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [3])
        a = x * 2.0
    with tf.device("/gpu:1"):
        b = a + 1.0
    with tf.Session() as sess:
        sess.run(b.op, {x: np.ones(3)})
        double.log.clear()
        np.testing.assert_array_equal(sess.run(b, {x: np.ones(3)}), [3.0, 3.0, 3.0])
    waits = [e for e in double.log if e[0] in ("record", "wait_event")]
    assert [(kind, name) for kind, name, _ in waits] == [
        ("record", "stream of card 0"),  # a is there
        ("wait_event", "stream of card 1"),
        ("record", "stream of card 1"),  # a has been copied, and may be written over
        ("wait_event", "stream of card 0"),
    ]
    assert waits[0][2] == waits[1][2] != waits[2][2] == waits[3][2]


def test_scalars_and_empty_arrays_come_back() -> None:
    x = tf.placeholder(tf.float32, [None])
    with tf.Session() as sess:
        total, all_of_it = sess.run([tf.reduce_sum(x), x * 2.0], {x: np.zeros(0)})
    assert total == 0 and type(total) is np.float32
    assert all_of_it.shape == (0,) and all_of_it.dtype == np.float32


def test_a_trace_has_the_times_of_the_card() -> None:
    x = tf.ones([4]) * tf.placeholder(tf.float32, [4])
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(tf.exp(x), {x: np.ones(4)}, options=options, run_metadata=metadata)
    assert sum(entry[0] == "synchronize" for entry in double.log) > 2


# ---- what stays on the host --------------------------------------------------------------


def test_shapes_and_numbers_stay_on_the_host() -> None:
    x = tf.placeholder(tf.float32, [None, 4])
    rows = tf.shape(x)[0] * 2
    y = tf.reshape(x, [rows, 2]) * 0.5 + tf.cast(tf.range(rows), tf.float32)[:, None]
    with tf.Session() as sess:
        value = np.arange(8, dtype=np.float32).reshape(2, 4)
        wanted = value.reshape(4, 2) * 0.5 + np.arange(4)[:, None]
        np.testing.assert_allclose(sess.run(y, {x: value}), wanted)
    assert not [entry for entry in double.log if entry[0] == "wait"]


def test_a_size_that_is_fed_is_fetched_from_the_card() -> None:
    n = tf.placeholder(tf.int32, [])
    with tf.Session() as sess:
        for _ in range(3):
            assert sess.run(tf.zeros(tf.stack([n, n])), {n: 2}).shape == (2, 2)
            assert sess.run(tf.fill([n], 1.0), {n: 5}).shape == (5,)


def test_constants_of_the_same_name_in_bodies_are_told_apart() -> None:
    x = tf.placeholder(tf.float32, [])

    def power(n: int) -> Any:
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, 1.0])[1]

    with tf.Session() as sess:
        assert sess.run([power(2), power(5)], {x: 3.0}) == [9.0, 243.0]


# ---- graphs ------------------------------------------------------------------------------


def regression(optimizer: tf.train.Optimizer) -> tuple:
    """A small model that trains."""
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None])
    w = tf.Variable([[0.1], [0.2], [-0.3]])
    b = tf.Variable(0.5)
    loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(x, w), 1) + b - y))
    step = tf.train.get_or_create_global_step()
    return x, y, w, loss, optimizer.minimize(loss, global_step=step), step


def batches(sizes: list[int]) -> list[tuple]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(n, 3)), rng.normal(size=n)) for n in sizes]


OPTIMIZERS: list[Callable[[], tf.train.Optimizer]] = [
    lambda: tf.train.GradientDescentOptimizer(0.1),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    lambda: tf.train.AdamOptimizer(0.1),
    lambda: tf.train.RMSPropOptimizer(0.1),
    lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
]


@pytest.mark.parametrize("make", OPTIMIZERS, ids=["sgd", "momentum", "adam", "rmsprop", "ftrl"])
def test_a_replayed_step_trains_like_the_plain_one(make: Callable) -> None:
    given = batches([4, 4, 4, 4, 4])
    results = []
    for device in ("/cpu:0", "/gpu:0"):
        with tf.Graph().as_default(), tf.device(device), tf.Session() as sess:
            x, y, w, loss, train, step = regression(make())
            sess.run(tf.global_variables_initializer())
            losses = [sess.run([loss, train, step], {x: a, y: b})[0] for a, b in given]
            results.append((losses, *sess.run([w, step])))
    assert "graph" in events()
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5)
    assert results[1][2] == 5


def test_a_replayed_convolution_trains_like_the_plain_one() -> None:
    rng = np.random.default_rng(2)
    pictures = rng.normal(size=(4, 3, 8, 8, 2)).astype(np.float32)
    results = []
    for device in ("/cpu:0", "/gpu:0"):
        with tf.Graph().as_default(), tf.device(device), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [None, 8, 8, 2])
            w = tf.Variable(np.linspace(-1, 1, 3 * 3 * 2 * 4).reshape(3, 3, 2, 4), dtype=tf.float32)
            y = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, w, [1] * 4, "VALID")), [1, 2, 2, 1],
                               [1, 2, 2, 1], "VALID")  # fmt: skip
            y = tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
            loss = tf.reduce_mean(tf.square(y))
            train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
            sess.run(tf.global_variables_initializer())
            results.append([sess.run([loss, train], {x: p})[0] for p in pictures] + [sess.run(w)])
    assert "graph" in events()
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_the_first_run_is_plain_the_second_is_captured_the_others_are_replayed() -> None:
    x, y, _, loss, train, _ = regression(tf.train.AdamOptimizer(0.1))
    ((a, b),) = batches([4])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        seen = []
        for _ in range(4):
            double.log.clear()
            sess.run([loss, train], {x: a, y: b})
            seen.append(events())
    replayed = ["set", "graph", "get", "synchronize"]
    assert "begin_capture" not in seen[0] and seen[0][-1] == "synchronize"
    assert seen[1].index("begin_capture") < seen[1].index("end_capture") < seen[1].index("graph")
    assert seen[2] == seen[3] == replayed


@pytest.mark.parametrize("model", ["mlp", "cnn", "lstm"])
def test_the_models_of_the_benchmark_are_one_graph(model: str) -> None:
    train, feeds = {
        "mlp": lambda: mlp.perceptron(tf, "Adam", 4),
        "cnn": lambda: cnn.training(tf, "small", 4),
        "lstm": lambda: lstm.training(tf, "static_rnn", 4),
    }[model]()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            double.log.clear()
            sess.run(train, feeds)
    assert events() == ["set", "graph", "synchronize"]


def test_other_shapes_get_a_graph_of_their_own() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.exp(x) * 2.0
    with tf.Session() as sess:
        for size in (2, 3, 2, 3, 2, 3):
            double.log.clear()
            value = np.arange(size, dtype=np.float32)
            np.testing.assert_allclose(sess.run(y, {x: value}), np.exp(value) * 2, rtol=1e-6)
        assert events() == ["set", "graph", "get", "synchronize"]
        for size in (4, 5, 6, 7, 6, 7, 6):  # more shapes than are kept: they run plainly
            assert sess.run(y, {x: np.zeros(size)}).shape == (size,)


def test_what_reads_numbers_back_is_not_captured_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    x = tf.placeholder(tf.float32, [3])
    y = tf.boolean_mask(x, x > 1.0)
    with caplog.at_level(logging.INFO, "tensorflow"), tf.Session() as sess:
        for _ in range(4):
            np.testing.assert_array_equal(sess.run(y, {x: [0.0, 2.0, 3.0]}), [2.0, 3.0])
    assert [r.message for r in caplog.records if "kernel by kernel" in r.message] == [
        "A step on /job:localhost/replica:0/task:0/device:GPU:0 runs kernel by kernel: "
        "RuntimeError: the current stream is capturing, so nonzero are not allowed"
    ]


def test_an_assignment_between_two_replays_is_seen() -> None:
    v = tf.Variable([1.0, 2.0])
    x = tf.placeholder(tf.float32, [2])
    add, twice = tf.assign_add(v, x), v * 2.0
    with tf.Session() as sess:
        sess.run(v.initializer)
        for _ in range(3):
            sess.run(add.op, {x: [1.0, 1.0]})
        assert sess.run(v).tolist() == [4.0, 5.0]
        sess.run(tf.assign(v, [10.0, 20.0]))
        assert sess.run(add, {x: [1.0, 2.0]}).tolist() == [11.0, 22.0]
        assert [sess.run(twice).tolist() for _ in range(3)] == [[22.0, 44.0]] * 3
        v.load([0.0, 0.0], sess)
        assert sess.run(add, {x: [1.0, 2.0]}).tolist() == [1.0, 2.0]
        assert sess.run(twice).tolist() == [2.0, 4.0]


def test_the_old_value_of_a_variable_survives_its_update() -> None:
    v = tf.Variable([1.0, 2.0], use_resource=True)
    old = v.read_value()
    with tf.control_dependencies([old]):
        new = tf.assign_add(v, [1.0, 1.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        for turn in range(4):
            before, after = sess.run([old, new])
            assert before.tolist() == [1.0 + turn, 2.0 + turn]
            assert after.tolist() == [2.0 + turn, 3.0 + turn]


def test_variables_that_change_places_are_left_to_the_plain_program() -> None:
    a, b = tf.Variable([1.0]), tf.Variable([2.0])
    one, two = a.read_value(), b.read_value()
    with tf.control_dependencies([one, two]):
        swap = tf.group(tf.assign(a, two), tf.assign(b, one))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for turn in range(4):
            sess.run(swap)
            assert [v[0] for v in sess.run([a, b])] == ([2.0, 1.0] if turn % 2 == 0 else [1.0, 2.0])


@pytest.mark.parametrize("axis", [0, 1, -1, -3])
def test_many_arrays_are_joined_in_a_graph(axis: int) -> None:
    x = tf.placeholder(tf.float32, [2, 3])
    parts = [x * float(n) for n in range(10)]
    fetches = [tf.stack(parts, axis), tf.concat(parts, axis % 2)]
    with tf.Session() as sess:
        value = np.arange(6, dtype=np.float32).reshape(2, 3)
        wanted = [value * n for n in range(10)]
        for _ in range(3):
            stacked, joined = sess.run(fetches, {x: value})
        np.testing.assert_array_equal(stacked, np.stack(wanted, axis))
        np.testing.assert_array_equal(joined, np.concatenate(wanted, axis % 2))
    assert "graph" in events()


def test_every_replay_draws_other_random_numbers() -> None:
    x = tf.random_uniform([4])
    with tf.Session() as sess:
        drawn = [sess.run(x).tolist() for _ in range(5)]
    assert "graph" in events()
    assert len({tuple(each) for each in drawn}) == 5


def test_runs_of_several_threads_do_not_mix() -> None:
    x = tf.placeholder(tf.float32, [50])
    y = tf.sqrt(x) + 1.0
    wrong = []
    with tf.Session() as sess:

        def work(number: int) -> None:
            for _ in range(20):
                if not (sess.run(y, {x: np.full(50, number**2)}) == number + 1).all():
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    assert not wrong


# ---- kernels that are generated --------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16], ids=lambda d: d.__name__)
def test_a_generated_kernel_computes_what_numpy_does(dtype: Any) -> None:
    builder = Builder(dtype)
    formula = "where({0} > {1}, maximum({0}, 0.5) * 2 - rsqrt({2}), tanh({0} * {1}) / ({1} + 3))"
    places = [builder.operand(kind) for kind in (FULL, ROW, COLUMN)]
    program = builder.program(builder.formula(formula, places))[0]
    x = np.random.default_rng(3).normal(size=(4, 3)).astype(dtype)
    x[0] = [np.nan, np.inf, -np.inf]
    operands = [x, np.array([0.5, -1.0, 2.0], dtype), np.array([[1], [4], [9], [16]], dtype)]
    kernel = on_card(double.module, program)
    with np.errstate(all="ignore"):
        a, b, c = operands
        wanted = np.where(a > b, np.maximum(a, 0.5) * 2 - 1 / np.sqrt(c), np.tanh(a * b) / (b + 3))
    out = double.module.empty((4, 3), dtype)
    assert kernel(*map(double.module.asarray, operands), out=out) is out
    tolerance = {np.float32: 1e-6, np.float64: 1e-14, np.float16: 4e-3}[dtype]
    for found in (out, kernel(*map(double.module.asarray, operands))):
        np.testing.assert_allclose(found.get(), wanted, rtol=tolerance, atol=tolerance)


# ---- products of matrices ----------------------------------------------------------------

_LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "rows": lambda x: double.module.asarray(x),
    "columns": lambda x: double.module.asarray(x.swapaxes(-1, -2).copy()).swapaxes(-1, -2),
    "strided": lambda x: double.module.asarray(np.repeat(x, 2, -1))[..., ::2],
    "part": lambda x: double.module.asarray(np.pad(x, [(0, 0)] * (x.ndim - 1) + [(1, 2)]))[
        ..., 1:-2
    ],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16], ids=lambda d: d.__name__)
@pytest.mark.parametrize("left", _LAYOUTS)
@pytest.mark.parametrize("right", _LAYOUTS)
def test_products_of_all_layouts(left: str, right: str, dtype: Any) -> None:
    rng = np.random.default_rng(1)
    for m, k, n in [(2, 3, 4), (1, 3, 1), (3, 1, 2), (1, 1, 1), (5, 4, 1)]:
        for lead_a, lead_b in [((), ()), ((2,), (2,)), ((2,), ()), ((), (3,)), ((2, 3), (2, 3))]:
            a = rng.normal(size=(*lead_a, m, k)).astype(dtype)
            b = rng.normal(size=(*lead_b, k, n)).astype(dtype)
            found = gpu_blas.matmul(double.module, _LAYOUTS[left](a), _LAYOUTS[right](b))
            assert found.dtype == dtype
            wide = a.astype(np.float64) @ b.astype(np.float64)
            tolerance = {np.float16: 2e-2, np.float32: 1e-5, np.float64: 1e-12}[dtype]
            np.testing.assert_allclose(found.get(), wide, rtol=tolerance, atol=tolerance)


def test_products_into_an_array_that_is_there() -> None:
    a = double.module.asarray(np.arange(4.0).reshape(2, 2))
    out = double.module.empty((2, 2))
    assert gpu_blas.matmul(double.module, a, a, out) is out
    np.testing.assert_array_equal(out.get(), [[2, 3], [6, 11]])
    gpu_blas.matmul(double.module, a, a, a)  # what is read is not written over meanwhile
    np.testing.assert_array_equal(a.get(), [[2, 3], [6, 11]])


def test_a_handle_belongs_to_a_stream_and_has_its_workspace(blas: double.FakeBlas) -> None:
    a = double.module.asarray(np.ones((2, 2), np.float32))
    for _ in range(2):
        gpu_blas.matmul(double.module, a, a)
    with gpu.on(0) as stream:
        gpu_blas.matmul(double.module, a, a)
    names = [call[0] for call in blas.calls]
    made = ["cublasCreate_v2", "cublasSetStream_v2", "cublasSetWorkspace_v2"]
    product = "cublasGemmStridedBatchedEx"
    assert names == [*made, product, product, *made, product]
    assert blas.calls[6][2] == stream.ptr
    assert blas.calls[-1][-2] == 77  # TF32


def test_what_cublas_is_not_asked_for_goes_to_cupy(blas: double.FakeBlas) -> None:
    for a, b in [
        (np.ones((2, 3), int), np.ones((3, 2), int)),
        (np.ones((0, 3)), np.ones((3, 2))),
        (np.ones(3), np.ones((3, 2))),
        (np.ones((4, 1, 2, 3)), np.ones((5, 3, 2))),
        (np.ones((2, 3), np.float32), np.ones((3, 2))),
    ]:
        module = double.module
        found = gpu_blas.matmul(module, module.asarray(a), module.asarray(b))
        np.testing.assert_array_equal(found.get(), a @ b)
    assert not [call for call in blas.calls if "Gemm" in call[0]]


def test_without_its_library_products_are_cupys(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(cupy: Any) -> Any:
        raise OSError("libcublas.so.12: cannot open shared object file")

    monkeypatch.setattr(gpu_blas, "library", fail)
    x = tf.placeholder(tf.float32, [2, 2])
    with tf.Session() as sess:
        for _ in range(3):
            assert sess.run(tf.matmul(x, x), {x: np.eye(2)}).tolist() == [[1, 0], [0, 1]]


def test_a_failure_of_cublas_is_an_error(
    monkeypatch: pytest.MonkeyPatch, blas: double.FakeBlas
) -> None:
    a = double.module.asarray(np.ones((2, 2)))
    monkeypatch.setattr(blas, "_call", lambda name, *args: int("Gemm" in name))
    with pytest.raises(RuntimeError, match="cublasGemmStridedBatchedEx failed with status 1"):
        gpu_blas.matmul(double.module, a, a)


# ---- eager -------------------------------------------------------------------------------


def test_without_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    from minitf.library.eager import context as framework_eager
    from minitf.library.eager import kernels as eager

    def forget() -> None:  # kernels are kept, and with them the devices that they run on
        eager._devices.cache_clear()
        framework_eager._kernels.clear()

    forget()
    try:
        with framework_eager.eager_mode(), tf.device("/gpu:0"):
            x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
            y = tf.reshape(tf.matmul(x, x) * 2.0, [tf.shape(x)[0] * 2])
            assert y.numpy().tolist() == [14.0, 20.0, 30.0, 44.0]
            double_it = tf.function(lambda x: tf.reduce_sum(x * 2.0))
            assert double_it(x).numpy() == 20.0
    finally:
        forget()
    kernels = [entry for entry in double.log if entry[0] == "kernel"]
    assert kernels and [entry for entry in kernels if entry[-1] != "stream of card 0"] == []


def test_names_of_numbers_are_places_of_inputs() -> None:
    from minitf.core.graph.op_def import all_op_defs

    def lists(op_def: OpDef) -> list[int]:
        return [i for i, arg in enumerate(op_def.inputs) if arg.is_list]

    for op_def in all_op_defs():
        for place in op_def.host_inputs:
            assert all(place < i for i in lists(op_def)), op_def.type
