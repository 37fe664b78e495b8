"""A GAN of convolutions: transposed ones that grow a picture, and ones that judge it."""

from __future__ import division, print_function

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
np.random.seed(8)
tf.set_random_seed(8)
noise_dim, batch_size = 20, 16


def generator(x, reuse=False):
    with tf.variable_scope("Generator", reuse=reuse):
        x = tf.layers.dense(x, units=6 * 6 * 16)
        x = tf.nn.tanh(x)
        x = tf.reshape(x, shape=[-1, 6, 6, 16])
        x = tf.layers.conv2d_transpose(x, 8, 4, strides=2)
        x = tf.layers.conv2d_transpose(x, 1, 2, strides=2)
        return tf.nn.sigmoid(x)


def discriminator(x, reuse=False):
    with tf.variable_scope("Discriminator", reuse=reuse):
        x = tf.layers.conv2d(x, 8, 5)
        x = tf.nn.tanh(x)
        x = tf.layers.average_pooling2d(x, 2, 2)
        x = tf.layers.conv2d(x, 16, 5)
        x = tf.nn.tanh(x)
        x = tf.layers.average_pooling2d(x, 2, 2)
        x = tf.contrib.layers.flatten(x)
        x = tf.layers.dense(x, 32)
        x = tf.nn.tanh(x)
        return tf.layers.dense(x, 2)


noise_input = tf.placeholder(tf.float32, shape=[None, noise_dim])
real_image_input = tf.placeholder(tf.float32, shape=[None, 28, 28, 1])
gen_sample = generator(noise_input)
disc_real = discriminator(real_image_input)
disc_fake = discriminator(gen_sample, reuse=True)
disc_concat = tf.concat([disc_real, disc_fake], axis=0)
stacked_gan = discriminator(gen_sample, reuse=True)

disc_target = tf.placeholder(tf.int32, shape=[None])
gen_target = tf.placeholder(tf.int32, shape=[None])
disc_loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits=disc_concat, labels=disc_target)
)
gen_loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits=stacked_gan, labels=gen_target)
)
gen_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Generator")
disc_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Discriminator")
train_gen = tf.train.AdamOptimizer(learning_rate=0.005).minimize(gen_loss, var_list=gen_vars)
train_disc = tf.train.AdamOptimizer(learning_rate=0.002).minimize(disc_loss, var_list=disc_vars)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("Variables: %d and %d" % (len(gen_vars), len(disc_vars)))
    first = None
    for i in range(1, 41):
        batch_x, _ = mnist.train.next_batch(batch_size)
        batch_x = np.reshape(batch_x, newshape=[-1, 28, 28, 1])
        z = np.random.uniform(-1.0, 1.0, size=[batch_size, noise_dim])
        batch_disc_y = np.concatenate([np.ones([batch_size]), np.zeros([batch_size])], axis=0)
        feed_dict = {
            real_image_input: batch_x,
            noise_input: z,
            disc_target: batch_disc_y,
            gen_target: np.ones([batch_size]),
        }
        _, _, gl, dl = sess.run([train_gen, train_disc, gen_loss, disc_loss], feed_dict=feed_dict)
        first = first or dl
        if i % 10 == 0:
            print("Step %i: Generator Loss: %f, Discriminator Loss: %f" % (i, gl, dl))
    pictures = sess.run(gen_sample, feed_dict={noise_input: z})
    print("Pictures:", pictures.shape)
    print("Discriminator Loss: %f then %f" % (first, dl))
