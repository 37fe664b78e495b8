"""Settings of TensorFlow's runtime: kept, and given back."""

from collections.abc import Iterator

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.platform.runtime_settings import forget_settings


@pytest.fixture(autouse=True)
def as_found() -> Iterator[None]:
    yield
    forget_settings()


def test_numbers_of_threads() -> None:
    threading = tf.config.threading
    assert threading.get_inter_op_parallelism_threads() == 0
    threading.set_inter_op_parallelism_threads(4)
    threading.set_intra_op_parallelism_threads(2)
    assert threading.get_inter_op_parallelism_threads() == 4
    assert threading.get_intra_op_parallelism_threads() == 2
    with pytest.raises(ValueError, match="not negative"):
        threading.set_intra_op_parallelism_threads(-1)


def test_the_optimizer() -> None:
    optimizer = tf.config.optimizer
    assert not optimizer.get_jit()
    optimizer.set_jit(True)
    assert optimizer.get_jit()
    optimizer.set_experimental_options({"constant_folding": True, "unknown": True})
    assert optimizer.get_experimental_options() == {
        "constant_folding": True, "disable_model_pruning": False, "disable_meta_optimizer": False,
    }  # fmt: skip


def test_placement() -> None:
    tf.config.set_soft_device_placement(True)
    tf.debugging.set_log_device_placement(True)
    assert tf.config.get_soft_device_placement() and tf.debugging.get_log_device_placement()
    assert tf.config.experimental.get_device_policy() == "silent"
    tf.config.experimental.set_device_policy("warn")
    assert tf.config.experimental.get_device_policy() == "warn"
    tf.config.experimental.set_device_policy(None)
    assert tf.config.experimental.get_device_policy() == "silent"
    with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'x'"):
        tf.config.experimental.set_device_policy("x")
    tf.config.experimental.set_synchronous_execution(False)
    assert not tf.config.experimental.get_synchronous_execution()


def test_eager_execution_around_functions() -> None:
    assert not tf.executing_eagerly_outside_functions()
    with eager_mode():
        inside = tf.function(
            lambda: tf.constant(tf.executing_eagerly_outside_functions()), autograph=False
        )
        assert inside().numpy() and tf.executing_eagerly_outside_functions()


def test_what_is_compiled_gives_the_same() -> None:
    with tf.Graph().as_default(), tf.Session() as sess, tf.xla.experimental.jit_scope():
        x = tf.constant(2.0)
        (y,) = tf.xla.experimental.compile(lambda a: a * 3.0, [x])
        assert sess.run(y) == 6.0
