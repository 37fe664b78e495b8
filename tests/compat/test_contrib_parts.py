"""Parts of `tf.contrib` of one subject: grids of cells, kernels, pruning, solvers."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

contrib = tf.contrib


def _step(cell: Any, x: Any, state: Any, weight: float) -> Any:
    """One step with all weights alike."""
    with tf.variable_scope(None, "root", initializer=tf.constant_initializer(weight)):
        made = cell(tf.constant(x), state)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(made)


def _rows(numbers: list[float], parts: int) -> Any:
    """Pairs of a memory and an output, as an LSTM keeps them."""
    each = np.split(np.array([numbers], "f"), 2 * parts, 1)
    pair = tf.nn.rnn_cell.LSTMStateTuple
    return tuple(pair(*map(tf.constant, each[i : i + 2])) for i in range(0, 2 * parts, 2))


X, M = [[1.0, 1.0, 1.0]], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]


@pytest.mark.parametrize("tied", [False, True])
def test_a_grid_of_basic_lstms(tied: bool) -> None:
    """The numbers are those of TensorFlow's own test."""
    cell = contrib.grid_rnn.Grid2BasicLSTMCell(2, tied=tied)
    (output,), state = _step(cell, X, _rows(M, 2), 0.2)
    np.testing.assert_allclose(output, [[0.36617181, 0.36617181]], rtol=1e-5)
    expected = [
        [0.71053141] * 2,
        [0.36617181] * 2,
        [0.72320831, 0.80555487],
        [0.39102408, 0.42150158],
    ]
    np.testing.assert_allclose(np.concatenate(state)[:, 0], expected, rtol=1e-5)


def test_a_grid_with_a_layer_in_one_dimension() -> None:
    cell = contrib.grid_rnn.Grid2BasicLSTMCell(2, non_recurrent_fn=tf.nn.relu)
    (output,), ((c, m),) = _step(cell, X, _rows(M[:4], 1), 0.2)
    np.testing.assert_allclose(output, [[0.31667367, 0.31667367]], rtol=1e-5)
    np.testing.assert_allclose(
        [c[0], m[0]], [[0.29530135, 0.37520045], [0.17044567, 0.21292259]], rtol=1e-5
    )


def test_grids_of_other_cells() -> None:
    grid = contrib.grid_rnn
    (output,), _ = _step(grid.Grid2LSTMCell(2, use_peepholes=True), X, _rows(M, 2), 0.5)
    np.testing.assert_allclose(output, [[0.95686918] * 2], rtol=1e-5)
    (output,), _ = _step(grid.Grid1LSTMCell(2, use_peepholes=True), X, _rows(M[:4], 1), 0.5)
    np.testing.assert_allclose(output, [[0.91287315] * 2], rtol=1e-5)
    numbers = [*M, -0.1, -0.2, -0.3, -0.4]
    (output,), state = _step(grid.Grid3LSTMCell(2, use_peepholes=True), X, _rows(numbers, 3), 0.5)
    np.testing.assert_allclose(output, [[0.96892911] * 2], rtol=1e-5)
    np.testing.assert_allclose(state[2].h, [[0.56548983, 0.50446129]], rtol=1e-5)
    pair = tuple(tf.constant([[v, v]]) for v in (0.1, 0.1))
    (output,), state = _step(grid.Grid2BasicRNNCell(2), [[1.0, 1.0]], pair, 0.5)
    np.testing.assert_allclose(
        [output[0], state[1][0]], [[0.94685763] * 2, [0.80049908] * 2], rtol=1e-5
    )


def test_a_grid_over_a_sequence() -> None:
    cell = contrib.grid_rnn.Grid2LSTMCell(3, state_is_tuple=False, output_is_tuple=False)
    assert cell.state_size == 12
    outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 4]), dtype=tf.float32)
    assert outputs.shape.as_list() == [2, 5, 3]
    several = contrib.grid_rnn.Grid2GRUCell(3)
    listed, _ = tf.nn.static_rnn(several, [tf.ones([2, 4])] * 2, dtype=tf.float32, scope="b")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(state).shape == (2, 12)
        assert np.shape(sess.run(listed[1])) == (1, 2, 3)
    with pytest.raises(ValueError, match="Invalid dims: "):
        contrib.grid_rnn.GridRNNCell(2, 1, 1)


def test_features_whose_products_are_a_kernel() -> None:
    mapper = contrib.kernel_methods.RandomFourierFeatureMapper(3, 4000, 2.0, seed=5, name="m")
    x = np.random.default_rng(1).normal(size=(6, 3)).astype("f")
    with tf.Session() as sess:
        mapped = sess.run(mapper.map(tf.constant(x)))
    apart = ((x[:, None] - x) ** 2).sum(-1)
    np.testing.assert_allclose(mapped @ mapped.T, np.exp(-apart / 8), atol=0.06)
    assert (mapper.name, mapper.input_dim, mapper.output_dim) == ("m", 3, 4000)
    with pytest.raises(Exception, match="expected 3 input features, got 2 instead"):
        mapper.map(tf.zeros([2, 2]))


def test_a_linear_classifier_of_a_ring(tmp_path: Any) -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(-1, 1, (400, 2)).astype("f")
    y = (np.hypot(*x.T) > 0.7).astype("i")
    column = contrib.layers.real_valued_column("x", 2)
    mapper = contrib.kernel_methods.RandomFourierFeatureMapper(2, 200, 0.5)

    def input_fn() -> tuple:
        return {"x": tf.constant(x)}, tf.constant(y)

    made = contrib.kernel_methods.KernelLinearClassifier(
        model_dir=str(tmp_path), kernel_mappers={column: [mapper]},
        optimizer=tf.train.FtrlOptimizer(5.0, l2_regularization_strength=0.001),
    )  # fmt: skip
    made.fit(input_fn=input_fn, steps=100)
    assert made.evaluate(input_fn=input_fn, steps=1)["accuracy"] > 0.93
    with pytest.raises(ValueError, match="at least one of feature_columns"):
        contrib.kernel_methods.KernelLinearClassifier()


def test_a_hinge_of_several_classes() -> None:
    loss = contrib.kernel_methods.sparse_multiclass_hinge_loss(
        tf.constant([0, 1, 2]), tf.constant([[1.2, -1.4, -1.0], [1.4, 1.8, 4.0], [0.5, 1.8, -1.0]])
    )
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(loss), (0 + 3.2 + 3.8) / 3, rtol=1e-5)


def test_weights_that_are_left_out() -> None:
    pruning = contrib.model_pruning
    weights = tf.get_variable("w", initializer=tf.linspace(1.0, 100.0, 100))
    with tf.variable_scope("layer"):
        masked = pruning.apply_mask(weights, tf.get_variable_scope())
    step = tf.train.get_or_create_global_step()
    spec = pruning.get_pruning_hparams().parse(
        "threshold_decay=0.0,nbins=100,target_sparsity=0.3,sparsity_function_end_step=10"
    )
    p = pruning.Pruning(spec)
    p.add_pruning_summaries()
    update, (share,) = p.conditional_mask_update_op(), pruning.get_weight_sparsity()
    assert [v.op.name for v in pruning.get_masks()] == ["layer/mask"]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update)
        assert sess.run(share) == 0
        sess.run(step.assign(20))
        sess.run(update)
        np.testing.assert_allclose(sess.run(share), 0.3, atol=0.011)
        kept = sess.run(masked)
        assert not kept[:29].any()
        assert kept[35:].all()
        assert sess.run(tf.summary.merge_all())


def test_layers_with_masks() -> None:
    pruning = contrib.model_pruning
    x = tf.random_normal([2, 6, 6, 3])
    net = pruning.masked_conv2d(x, 4, [3, 3], scope="conv")
    net = pruning.masked_fully_connected(tf.layers.flatten(net), 5, scope="fc")
    cell = pruning.MaskedBasicLSTMCell(4)
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 3, 4]), dtype=tf.float32)
    names = sorted(v.op.name for v in pruning.get_masks())
    assert names == ["conv/mask", "fc/mask", "rnn/masked_basic_lstm_cell/mask"]
    trained = [v.op.name for v in tf.trainable_variables()]
    assert "conv/weights" in trained
    assert not any(name.endswith("/mask") for name in trained)
    gone = [mask.assign(tf.zeros_like(mask)) for mask in pruning.get_masks()]
    slope = tf.gradients(tf.reduce_sum(net), tf.trainable_variables()[0])[0]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(net).any()
        assert sess.run(outputs).any()
        sess.run(gone)
        assert not sess.run(net).any()
        assert not sess.run(outputs).any()
        assert not sess.run(slope).any()


def test_linear_systems_by_products() -> None:
    solvers, rng = contrib.solvers, np.random.default_rng(4)
    a = rng.normal(size=(8, 5))
    positive, b, c = a.T @ a + np.eye(5), rng.normal(size=5), rng.normal(size=8)
    operator = solvers.util.create_operator(positive)
    one = solvers.linear_equations.conjugate_gradient(operator, tf.constant(b), tol=1e-9)
    scaled = solvers.util.create_operator(np.diag(1 / np.diag(positive)))
    two = solvers.linear_equations.conjugate_gradient(
        operator, tf.constant(b), scaled, tf.constant(c[:5]), tol=1e-9
    )
    three = solvers.least_squares.cgls(solvers.util.create_operator(a), tf.constant(c), tol=1e-9)
    with tf.Session() as sess:
        found = sess.run([one, two.x, three.x, solvers.util.l2norm(tf.constant(c))])
    np.testing.assert_allclose(found[0].x, np.linalg.solve(positive, b), rtol=1e-6)
    assert found[0].i <= 7
    np.testing.assert_allclose(found[1], np.linalg.solve(positive, b), rtol=1e-6)
    np.testing.assert_allclose(found[2], np.linalg.lstsq(a, c, rcond=None)[0], rtol=1e-6)
    np.testing.assert_allclose(found[3], np.linalg.norm(c))


def test_two_bases_and_a_narrow_matrix() -> None:
    solvers = contrib.solvers
    a = np.random.default_rng(5).normal(size=(7, 6))
    made = solvers.lanczos.lanczos_bidiag(solvers.util.create_operator(a), 4)
    product = solvers.lanczos.bidiag_matmul(made.u, made.alpha, made.beta)
    back = solvers.lanczos.bidiag_matmul(made.v, made.alpha, made.beta, adjoint_b=True)
    with tf.Session() as sess:
        (u, v, _, _), right, left = sess.run([made, product, back])
    np.testing.assert_allclose(a @ v, right, atol=1e-8)
    np.testing.assert_allclose(a.T @ u[:, :-1], left, atol=1e-8)
    np.testing.assert_allclose(u.T @ u, np.eye(5), atol=1e-8)


@pytest.mark.parametrize(
    "call",
    [
        lambda: contrib.lite.TFLiteConverter.from_keras_model_file("x.h5"),
        lambda: contrib.lite.TocoConverter.from_frozen_graph("x.pb", [], []),
        lambda: contrib.lite.Interpreter(model_path="x.tflite"),
        lambda: contrib.tensorrt.create_inference_graph(None, []),
        lambda: contrib.ffmpeg.decode_audio(b"", "mp3", 16000, 1),
    ],
)
def test_what_others_do_is_refused_in_a_sentence(call: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"^tf(\.\w+)+ is not in minitf: "):
        call()
