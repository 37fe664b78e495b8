"""A generative adversarial network: a generator of digits against a discriminator."""

from __future__ import division, print_function

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
np.random.seed(6)
tf.set_random_seed(6)

image_dim, hidden_dim, noise_dim, batch_size = 784, 64, 32, 64


def glorot_init(shape):
    return tf.random_normal(shape=shape, stddev=1.0 / tf.sqrt(shape[0] / 2.0))


weights = {
    "gen_hidden1": tf.Variable(glorot_init([noise_dim, hidden_dim])),
    "gen_out": tf.Variable(glorot_init([hidden_dim, image_dim])),
    "disc_hidden1": tf.Variable(glorot_init([image_dim, hidden_dim])),
    "disc_out": tf.Variable(glorot_init([hidden_dim, 1])),
}
biases = {
    "gen_hidden1": tf.Variable(tf.zeros([hidden_dim])),
    "gen_out": tf.Variable(tf.zeros([image_dim])),
    "disc_hidden1": tf.Variable(tf.zeros([hidden_dim])),
    "disc_out": tf.Variable(tf.zeros([1])),
}


def generator(x):
    hidden_layer = tf.nn.relu(tf.matmul(x, weights["gen_hidden1"]) + biases["gen_hidden1"])
    return tf.nn.sigmoid(tf.matmul(hidden_layer, weights["gen_out"]) + biases["gen_out"])


def discriminator(x):
    hidden_layer = tf.nn.relu(tf.matmul(x, weights["disc_hidden1"]) + biases["disc_hidden1"])
    return tf.nn.sigmoid(tf.matmul(hidden_layer, weights["disc_out"]) + biases["disc_out"])


gen_input = tf.placeholder(tf.float32, shape=[None, noise_dim], name="input_noise")
disc_input = tf.placeholder(tf.float32, shape=[None, image_dim], name="disc_input")
gen_sample = generator(gen_input)
disc_real = discriminator(disc_input)
disc_fake = discriminator(gen_sample)
gen_loss = -tf.reduce_mean(tf.log(disc_fake + 1e-8))
disc_loss = -tf.reduce_mean(tf.log(disc_real + 1e-8) + tf.log(1.0 - disc_fake + 1e-8))

gen_vars = [weights["gen_hidden1"], weights["gen_out"], biases["gen_hidden1"], biases["gen_out"]]
disc_vars = [
    weights["disc_hidden1"], weights["disc_out"], biases["disc_hidden1"], biases["disc_out"],
]  # fmt: skip
train_gen = tf.train.AdamOptimizer(0.002).minimize(gen_loss, var_list=gen_vars)
train_disc = tf.train.AdamOptimizer(0.0005).minimize(disc_loss, var_list=disc_vars)


def distance(pictures):
    """How far the mean picture is from the mean digit."""
    return np.abs(pictures.mean(axis=0) - mnist.train.images.mean(axis=0)).mean()


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    test_noise = np.random.uniform(-1.0, 1.0, size=[200, noise_dim])
    before = distance(sess.run(gen_sample, feed_dict={gen_input: test_noise}))
    for i in range(1, 601):
        batch_x, _ = mnist.train.next_batch(batch_size)
        z = np.random.uniform(-1.0, 1.0, size=[batch_size, noise_dim])
        feed_dict = {disc_input: batch_x, gen_input: z}
        _, _, gl, dl = sess.run([train_gen, train_disc, gen_loss, disc_loss], feed_dict=feed_dict)
        if i % 200 == 0:
            print("Step %i: Generator Loss: %f, Discriminator Loss: %f" % (i, gl, dl))
    after = distance(sess.run(gen_sample, feed_dict={gen_input: test_noise}))
    print("Distance: %f then %f" % (before, after))
