"""One task of a cluster that TF_CONFIG names: `train_and_evaluate` under parameter servers."""

import os
import sys

import numpy as np

import minitf as tf
from tests.library.distribute.cells import KINDS, X, Y


def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1, name="y"))
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def data():
    return tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(4)


kind, path = sys.argv[1:]
config = tf.estimator.RunConfig(os.environ["MODEL_DIR"], train_distribute=KINDS[kind]())
estimator = tf.estimator.Estimator(model_fn, config=config)
train = tf.estimator.TrainSpec(data, max_steps=20)
evaluate = tf.estimator.EvalSpec(lambda: data().take(3), start_delay_secs=0, throttle_secs=1)
tf.estimator.train_and_evaluate(estimator, train, evaluate)
np.savez(path, step=estimator.get_variable_value("global_step"))
