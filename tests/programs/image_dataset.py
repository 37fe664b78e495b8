"""A data set of picture files: queues read, decode and batch them while a network trains."""

from __future__ import print_function

import os

import numpy as np
import tensorflow as tf
from PIL import Image

# Bright and dark pictures, in a folder for each class.
rng = np.random.RandomState(0)
for label, level in enumerate((60, 190)):
    folder = os.path.join("pictures", str(label))
    os.makedirs(folder)
    for i in range(40):
        pixels = np.clip(rng.normal(level, 30, size=(20, 24, 3)), 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(os.path.join(folder, "%02d.jpg" % i), quality=95)


def read_images(dataset_path, batch_size):
    imagepaths, labels = list(), list()
    for label, name in enumerate(sorted(os.listdir(dataset_path))):
        for sample in sorted(os.listdir(os.path.join(dataset_path, name))):
            imagepaths.append(os.path.join(dataset_path, name, sample))
            labels.append(label)
    imagepaths = tf.convert_to_tensor(imagepaths, dtype=tf.string)
    labels = tf.convert_to_tensor(labels, dtype=tf.int32)
    image, label = tf.train.slice_input_producer([imagepaths, labels], shuffle=True)
    image = tf.read_file(image)
    image = tf.image.decode_jpeg(image, channels=3)
    image = tf.image.resize_images(image, [16, 16])
    image = image * 1.0 / 127.5 - 1.0
    return tf.train.batch(
        [image, label], batch_size=batch_size, capacity=batch_size * 8, num_threads=2
    )


X, Y = read_images("pictures", 16)
flat = tf.reshape(X, [-1, 16 * 16 * 3])
logits = tf.layers.dense(flat, 2)
loss_op = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=Y))
train_op = tf.train.AdamOptimizer(0.001).minimize(loss_op)
correct = tf.equal(tf.argmax(logits, 1), tf.cast(Y, tf.int64))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for step in range(1, 61):
        _, loss, acc = sess.run([train_op, loss_op, accuracy])
        if step % 20 == 0:
            print("Step %d, Minibatch Loss= %.4f" % (step, loss))
    coord.request_stop()
    coord.join(threads)
    print("Accuracy:", acc)
