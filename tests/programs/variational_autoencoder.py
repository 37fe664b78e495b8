"""A variational autoencoder: the reparametrization trick, and new digits from noise."""

from __future__ import division, print_function

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
tf.set_random_seed(4)

image_dim, hidden_dim, latent_dim = 784, 128, 2


def glorot_init(shape):
    return tf.random_normal(shape=shape, stddev=1.0 / tf.sqrt(shape[0] / 2.0))


weights = {
    "encoder_h1": tf.Variable(glorot_init([image_dim, hidden_dim])),
    "z_mean": tf.Variable(glorot_init([hidden_dim, latent_dim])),
    "z_std": tf.Variable(glorot_init([hidden_dim, latent_dim])),
    "decoder_h1": tf.Variable(glorot_init([latent_dim, hidden_dim])),
    "decoder_out": tf.Variable(glorot_init([hidden_dim, image_dim])),
}
biases = {
    "encoder_b1": tf.Variable(glorot_init([hidden_dim])),
    "z_mean": tf.Variable(glorot_init([latent_dim])),
    "z_std": tf.Variable(glorot_init([latent_dim])),
    "decoder_b1": tf.Variable(glorot_init([hidden_dim])),
    "decoder_out": tf.Variable(glorot_init([image_dim])),
}


def decode(z):
    hidden = tf.nn.tanh(tf.matmul(z, weights["decoder_h1"]) + biases["decoder_b1"])
    return tf.nn.sigmoid(tf.matmul(hidden, weights["decoder_out"]) + biases["decoder_out"])


input_image = tf.placeholder(tf.float32, shape=[None, image_dim])
encoder = tf.nn.tanh(tf.matmul(input_image, weights["encoder_h1"]) + biases["encoder_b1"])
z_mean = tf.matmul(encoder, weights["z_mean"]) + biases["z_mean"]
z_std = tf.matmul(encoder, weights["z_std"]) + biases["z_std"]
eps = tf.random_normal(tf.shape(z_std), dtype=tf.float32, mean=0.0, stddev=1.0, name="epsilon")
z = z_mean + tf.exp(z_std / 2) * eps
decoded = decode(z)


def vae_loss(x_reconstructed, x_true):
    likelihood = x_true * tf.log(1e-10 + x_reconstructed)
    likelihood += (1 - x_true) * tf.log(1e-10 + 1 - x_reconstructed)
    likelihood = -tf.reduce_sum(likelihood, 1)
    kl_div = 1 + z_std - tf.square(z_mean) - tf.exp(z_std)
    kl_div = -0.5 * tf.reduce_sum(kl_div, 1)
    return tf.reduce_mean(likelihood + kl_div)


loss_op = vae_loss(decoded, input_image)
train_op = tf.train.RMSPropOptimizer(learning_rate=0.003).minimize(loss_op)
noise_input = tf.placeholder(tf.float32, shape=[None, latent_dim])
generated = decode(noise_input)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = None
    for i in range(1, 401):
        batch_x, _ = mnist.train.next_batch(64)
        _, l = sess.run([train_op, loss_op], feed_dict={input_image: batch_x})
        first = first or l
        if i % 100 == 0:
            print("Step %i, Loss: %f" % (i, l))
    grid = [[xi, yi] for xi in np.linspace(-2, 2, 4) for yi in np.linspace(-2, 2, 4)]
    pictures = sess.run(generated, feed_dict={noise_input: grid})
    print("Pictures:", pictures.shape, "between", pictures.min() >= 0, pictures.max() <= 1)
    print("Loss: %f then %f" % (first, l))
