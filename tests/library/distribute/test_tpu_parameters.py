"""Cores of TPUs: how many there are, and settings of the tables of embeddings on them."""

import pytest

import minitf as tf
from minitf.library.distribute.tpu_strategy import get_tpu_context

experimental = tf.tpu.experimental


def test_settings_are_kept() -> None:
    adam = experimental.AdamParameters(0.1, beta1=0.8, clip_weight_max=2.0)
    assert (adam.learning_rate, adam.beta1, adam.beta2, adam.lazy_adam) == (0.1, 0.8, 0.999, True)
    assert (adam.clip_weight_min, adam.clip_weight_max) == (None, 2.0)
    assert not experimental.StochasticGradientDescentParameters(0.1).use_gradient_accumulation
    assert experimental.FtrlParameters(0.1).learning_rate_power == -0.5


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: experimental.AdagradParameters(0.1, 0.0), "must be positive"),
        (lambda: experimental.AdamParameters(0.1, beta2=1.0), "beta2 must be between"),
        (lambda: experimental.AdamParameters(0.1, epsilon=0.0), "epsilon must be positive"),
        (
            lambda: experimental.AdamParameters(
                0.1, lazy_adam=False, use_gradient_accumulation=False
            ),
            "gradient accumulation must be used",
        ),
        (lambda: experimental.FtrlParameters(0.1, 0.5), "less than or equal to 0"),
        (
            lambda: experimental.FtrlParameters(0.1, l1_regularization_strength=-1.0),
            "greater than or equal to 0",
        ),
    ],
)
def test_what_is_out_of_range(make, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=text):
        make()


def test_a_function_knows_how_many_cores_it_runs_on() -> None:
    seen = []

    def computation(x: tf.Tensor) -> tf.Tensor:
        seen.append(get_tpu_context().number_of_shards)
        return tf.contrib.tpu.cross_replica_sum(x) / float(seen[-1])

    (mean,) = tf.contrib.tpu.shard(computation, [tf.constant([1.0, 2.0, 6.0])], num_shards=3)
    assert seen == [3, 3, 3]
    assert get_tpu_context().number_of_shards is None
    with tf.Session() as sess:
        assert sess.run(mean).tolist() == [3.0] * 3
