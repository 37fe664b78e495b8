"""A premade estimator on handwritten digits: the same program for every task of the cluster.

TF_CONFIG='{"cluster": {...}, "task": {"type": "ps", "index": 0}}' python train_digits.py DIR STEPS
"""

import sys

import numpy as np

import minitf as tf

EVERY = 6  # the first of so many images is to evaluate with


def load() -> tuple[np.ndarray, np.ndarray]:
    """[1797, 64] float32 images, from 0 to 1, and [1797] labels."""
    from sklearn.datasets import load_digits  # 300 ms, which the parameter servers can do without

    images, labels = load_digits(return_X_y=True)
    return (images / 16).astype(np.float32), labels.astype(np.int64)


def main(model_dir: str, steps: int) -> None:
    """Runs the task that TF_CONFIG names."""
    tf.logging.set_verbosity(tf.logging.INFO)

    def train_input_fn() -> tf.data.Dataset:
        images, labels = load()
        kept = np.arange(len(labels)) % EVERY > 0
        data = tf.data.Dataset.from_tensor_slices(({"x": images[kept]}, labels[kept]))
        return data.shuffle(1500).repeat().batch(50)

    def eval_input_fn() -> tf.data.Dataset:
        images, labels = (each[::EVERY] for each in load())
        return tf.data.Dataset.from_tensor_slices(({"x": images}, labels)).batch(100)

    config = tf.estimator.RunConfig(
        model_dir, save_checkpoints_steps=200, experimental_max_worker_delay_secs=1
    )
    estimator = tf.estimator.DNNClassifier(
        hidden_units=[64],
        feature_columns=[tf.feature_column.numeric_column("x", shape=[64])],
        n_classes=10,
        config=config,
    )
    train_spec = tf.estimator.TrainSpec(train_input_fn, max_steps=steps)
    eval_spec = tf.estimator.EvalSpec(eval_input_fn, start_delay_secs=1, throttle_secs=1)
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
    print(config.task_type, "is done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
