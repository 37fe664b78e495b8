"""Handwritten digits told apart by boosted trees, trained by an experiment."""

from __future__ import print_function

import numpy as np
import tensorflow as tf
from tensorflow.contrib.boosted_trees.estimator_batch.estimator import (
    GradientBoostedDecisionTreeClassifier,
)
from tensorflow.contrib.boosted_trees.proto import learner_pb2
from tensorflow.contrib.learn import learn_runner
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=False)
batch_size, num_classes, examples_per_layer = 512, 10, 500


def get_input_fn(x, y):
    def input_fn():
        images, labels = tf.train.shuffle_batch(
            tensors=[x, y],
            batch_size=batch_size,
            capacity=batch_size * 10,
            min_after_dequeue=batch_size * 2,
            enqueue_many=True,
            num_threads=4,
        )
        return {"images": images}, labels

    return input_fn


learner_config = learner_pb2.LearnerConfig()
learner_config.learning_rate_tuner.fixed.learning_rate = 0.3
learner_config.num_classes = num_classes
learner_config.regularization.l1 = 0.0
learner_config.regularization.l2 = 1.0 / examples_per_layer
learner_config.constraints.max_tree_depth = 4
learner_config.growing_mode = learner_pb2.LearnerConfig.LAYER_BY_LAYER
learner_config.multi_class_strategy = learner_pb2.LearnerConfig.DIAGONAL_HESSIAN

estimator = GradientBoostedDecisionTreeClassifier(
    learner_config=learner_config,
    n_classes=num_classes,
    examples_per_layer=examples_per_layer,
    model_dir="boosted",
    num_trees=5,
    center_bias=False,
    config=tf.contrib.learn.RunConfig(save_checkpoints_secs=300),
)


def _make_experiment_fn(output_dir):
    return tf.contrib.learn.Experiment(
        estimator=estimator,
        train_input_fn=get_input_fn(mnist.train.images, mnist.train.labels.astype(np.int32)),
        eval_input_fn=get_input_fn(mnist.test.images, mnist.test.labels.astype(np.int32)),
        train_steps=None,
        eval_steps=1,
        eval_metrics=None,
    )


learn_runner.run(
    experiment_fn=_make_experiment_fn, output_dir="boosted", schedule="train_and_evaluate"
)
results = estimator.predict(x=mnist.test.images)
right = [np.argmax(r["probabilities"]) == int(y) for r, y in zip(results, mnist.test.labels)]
print("Accuracy:", np.mean(right))
