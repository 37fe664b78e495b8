"""Answers to sheet 8 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% kept-answer: 0
def kept(steps, every, keep):
    """Forgets the checkpoint at the end."""
    return list(range(0, steps + 1, every))[-keep:]


# %% feed-answer: 0
def input_of(table, labels, size, epochs):
    """Makes the dataset at once, in no graph of the estimator."""
    dataset = tf.data.Dataset.from_tensor_slices((table, labels)).batch(size).repeat(epochs)
    return lambda: dataset


# %% columns-answer: 0
def columns_of(words, borders):
    """The age as it is."""
    column = tf.feature_column
    colour = column.categorical_column_with_vocabulary_list("colour", words)
    return [column.indicator_column(colour), column.numeric_column("age")]


# %% line-answer: 3
def model_fn(features, labels, mode, params):
    """Squares where the metric should not."""
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
    y = w * features["x"] + b
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    off = tf.metrics.mean_squared_error(labels, y)
    train = tf.train.GradientDescentOptimizer(params["rate"])
    step = train.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, None, loss, step, {"off": off})
