"""Graphs, sessions, feeding, gradients: the code on the slides, as it stands there.

From "GPU & distributed computing with Tensorflow" (D. Parks) and "Distributed TensorFlow" (Stony
Brook, CSE545). What a slide leaves open with `...` is filled in; what it prints is what we expect.
"""

# The slides' code keeps the form it has on the slides.
# fmt: off
# ruff: noqa: E702, E741, UP031

import numpy as np
import pytest

import minitf as tf

# ---- D. Parks: basic workflow --------------------------------------------------------------------


def test_build_a_graph_then_run_computations_on_it(capsys: pytest.CaptureFixture[str]) -> None:
    tf.multiply(1.0, 2.0)  # the slide's notebook multiplied twice before
    tf.multiply(1.0, 2.0)

    a = tf.constant(2.0, tf.float32, name='a')
    b = tf.constant(3.0, tf.float32, name='b')
    c = tf.multiply(a, b)

    assert repr(a) == "<tf.Tensor 'a:0' shape=() dtype=float32>"
    assert repr(b) == "<tf.Tensor 'b:0' shape=() dtype=float32>"
    assert repr(c) == "<tf.Tensor 'Mul_2:0' shape=() dtype=float32>"

    sess = tf.Session()
    result = sess.run([b, c])
    print(result[0])
    print(result[1])
    assert capsys.readouterr().out == "3.0\n6.0\n"


def test_passing_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    # Build your graph
    a = tf.placeholder(tf.float32, shape=(), name='a') # A scalar
    b = tf.placeholder(tf.float32, shape=(2), name='b') # A vector
    c = tf.multiply(a, b, name='c')

    # Launch a session & evaluate tensor c
    with tf.Session() as sess:
        params = {a: 10, b: [1, 2]} # a & b are tensor objects
        result = sess.run([c], feed_dict=params)

    print(result)
    # Today's NumPy prints one space less than the slide's.
    assert capsys.readouterr().out == "[array([10., 20.], dtype=float32)]\n"


def test_a_placeholder_must_be_fed() -> None:
    a = tf.placeholder(tf.float32, shape=(), name='a')
    with (
        tf.Session() as sess,
        pytest.raises(
            tf.errors.InvalidArgumentError,
            match="You must feed a value for placeholder tensor 'a' with dtype float",
        ),
    ):
        sess.run(a * 2.0)


def test_the_most_common_error() -> None:
    with pytest.raises(ValueError) as caught:
        tf.matmul(tf.placeholder(tf.float32, [10, 512, 1]), tf.placeholder(tf.float32, [512, 2]))
    assert str(caught.value).rstrip(".") == (
        "Shape must be rank 2 but is rank 3 for 'MatMul' (op: 'MatMul') "
        "with input shapes: [10,512,1], [512,2]"
    )


@pytest.mark.parametrize(
    ("example", "rank"),
    [
        (42, 0),
        ([10, 15, 20], 1),
        ([[1, 0, 2, 3], [2, 1, 0, 4], [0, 2, 1, 1]], 2),
        (np.zeros([1080, 1920, 3], np.uint8), 3),
        (np.zeros([10, 108, 192, 3], np.uint8), 4),
    ],
)
def test_the_rank_of_a_tensor(example: object, rank: int) -> None:
    tensor = tf.constant(example)
    assert tensor.shape.ndims == rank
    with tf.Session() as sess:
        assert sess.run(tf.rank(tensor)) == rank


# ---- G. Ivashkevych: TensorFlow at a glance ------------------------------------------------------


def test_variables_are_persistent_tensors() -> None:
    initial_values, var_name = [1.0, 2.0], "y"

    x = tf.Variable(initial_values)
    y = tf.get_variable(var_name, initializer=[3.0, 4.0])
    z = x + y

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(z).tolist() == [4.0, 6.0]


def test_placeholders_and_sessions() -> None:
    x_val, y_val = 1.5, [1.0, 2.0]

    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    z = x + y

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        result = z.eval(feed_dict={x:x_val, y:y_val})

    assert result.tolist() == [2.5, 3.5]


# ---- Stony Brook: operations on tensors as graphs ------------------------------------------------


def test_matrix_multiplication() -> None:
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    b = tf.constant([[5.0, 6.0], [7.0, 8.0]])
    c = tf.matmul(a, b)
    with tf.Session() as sess:
        assert sess.run(c).tolist() == [[19.0, 22.0], [43.0, 50.0]]


def test_d_is_b_plus_c_and_e_is_c_plus_2_and_a_is_d_times_e() -> None:
    b = tf.Variable(2.0, name="b")
    c = tf.Variable(1.0, name="c")
    d=b+c; e=c+2; a=d*e
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(a) == 9.0
    assert [t.name for t in (d, e, a)] == ["add:0", "add_1:0", "mul:0"]


def test_the_same_graph_fed_from_data() -> None:
    b = tf.placeholder(tf.float32, [None, 1], name="b")
    c = tf.Variable(1.0, name="c")
    d = tf.add(b, c, name="d")
    e = tf.add(c, tf.constant(2.0, name="const"), name="e")
    a = tf.multiply(d, e, name="a")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = sess.run(a, feed_dict={b: np.arange(0, 10)[:, np.newaxis]})
    assert values.ravel().tolist() == [3.0 * (i + 1) for i in range(10)]
    assert repr(a) == "<tf.Tensor 'a:0' shape=(?, 1) dtype=float32>"


# ---- Stony Brook: linear and ridge regression ----------------------------------------------------


def _data(rows: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Standardized features and a column of ones, as in "mx + b is just matmul(m, x)"."""
    rng = np.random.RandomState(42)
    features = rng.randn(rows, 3)
    features = (features - features.mean(0)) / features.std(0)
    X = np.column_stack([np.ones(rows), features]).astype(np.float32)
    y = (X @ [[0.5], [1.0], [-2.0], [3.0]] + 0.1 * rng.randn(rows, 1)).astype(np.float32)
    return X, y


def _ridge(X: np.ndarray, y: np.ndarray, penalty: float) -> np.ndarray:
    X, y = X.astype(np.float64), y.astype(np.float64)
    return np.linalg.solve(X.T @ X + penalty * np.eye(X.shape[1]), X.T @ y)


def test_ridge_regression_by_the_matrix_solution() -> None:
    X_data, y_data = _data()

    X = tf.constant(X_data, name="X")
    y = tf.constant(y_data, name="y")
    penalty = tf.constant(10.0, name="penalty")
    Xt = tf.transpose(X)
    I = tf.Variable(tf.eye(4, name="I"))
    beta = tf.matmul(
        tf.matmul(tf.matrix_inverse(tf.matmul(Xt, X) + tf.multiply(penalty, I)), Xt), y
    )

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        beta_value = beta.eval()
    np.testing.assert_allclose(beta_value, _ridge(X_data, y_data, 10.0), rtol=1e-4)


def test_ridge_regression_by_gradient_descent() -> None:
    X_data, y_data = _data()
    learning_rate, n_epochs, penalty = 0.001, 300, 10.0

    X = tf.constant(X_data, name="X")
    y = tf.constant(y_data, name="y")
    beta = tf.Variable(tf.random_uniform([4, 1], -1., 1.), name="beta")
    y_pred = tf.matmul(X, beta, name="predictions")
    penalizedCost = tf.reduce_sum(tf.square(y - y_pred)) + penalty * tf.reduce_sum(tf.square(beta))
    grads = tf.gradients(penalizedCost, [beta])[0]
    training_op = tf.assign(beta, beta - learning_rate * grads)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(n_epochs):
            sess.run(training_op)
        best_beta = beta.eval()
    np.testing.assert_allclose(best_beta, _ridge(X_data, y_data, penalty), rtol=1e-3)


def test_ridge_regression_by_an_optimizer() -> None:
    X_data, y_data = _data()

    X = tf.constant(X_data, name="X")
    y = tf.constant(y_data, name="y")
    beta = tf.Variable(tf.random_uniform([4, 1], -1., 1.), name="beta")
    y_pred = tf.matmul(X, beta, name="predictions")
    penalizedCost = tf.reduce_sum(tf.square(y - y_pred)) + 10.0 * tf.reduce_sum(tf.square(beta))
    optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.001)
    training_op = optimizer.minimize(penalizedCost)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = penalizedCost.eval()
        for _ in range(300):
            sess.run(training_op)
        assert penalizedCost.eval() < first
        np.testing.assert_allclose(beta.eval(), _ridge(X_data, y_data, 10.0), rtol=1e-3)


@pytest.mark.parametrize(
    ("kind", "batch_size", "epochs", "tolerance"),
    [
        ("batch", 200, 100, 1e-3),
        ("stochastic", 1, 10, 0.15),
        ("mini-batch", 20, 20, 0.05),
    ],
)
def test_batch_stochastic_and_mini_batch_descent(
    kind: str, batch_size: int, epochs: int, tolerance: float
) -> None:
    X_data, y_data = _data()
    rng = np.random.RandomState(0)

    X = tf.placeholder(tf.float32, [None, 4], name="X")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    theta = tf.Variable(tf.zeros([4, 1]), name="theta")
    mse = tf.reduce_mean(tf.square(tf.matmul(X, theta) - y), name="mse")
    training_op = tf.train.GradientDescentOptimizer(learning_rate=0.05).minimize(mse)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(epochs):
            order = rng.permutation(len(X_data))
            for start in range(0, len(X_data), batch_size):
                rows = order[start:start + batch_size]
                sess.run(training_op, feed_dict={X: X_data[rows], y: y_data[rows]})
        found = theta.eval()
    np.testing.assert_allclose(found, _ridge(X_data, y_data, 0.0), atol=tolerance)
