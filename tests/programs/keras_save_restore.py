"""A small Keras model of digits: its weights are kept before and while it learns, and come back."""

from __future__ import print_function

import os

import tensorflow as tf
from tensorflow import keras
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=False)
folder = "weights"


def build():
    model = keras.Sequential(
        [
            keras.layers.Dense(64, activation=tf.nn.relu, input_shape=(784,)),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(10, activation=tf.nn.softmax),
        ]
    )
    model.compile(
        optimizer=tf.train.AdamOptimizer(0.01),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model


model = build()
model.save_weights(os.path.join(folder, "epoch-{epoch:02d}").format(epoch=0))
keep = keras.callbacks.ModelCheckpoint(
    os.path.join(folder, "epoch-{epoch:02d}"), save_weights_only=True, period=2
)
model.fit(mnist.train.images, mnist.train.labels, epochs=4, verbose=0, callbacks=[keep])
learned = model.evaluate(mnist.test.images, mnist.test.labels, verbose=0)[1]

fresh = build()
untrained = fresh.evaluate(mnist.test.images, mnist.test.labels, verbose=0)[1]
fresh.load_weights(tf.train.latest_checkpoint(folder))
restored = fresh.evaluate(mnist.test.images, mnist.test.labels, verbose=0)[1]
print("same:", abs(learned - restored) < 1e-6, "better:", restored > untrained)
print("Accuracy:", restored)
