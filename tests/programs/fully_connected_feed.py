"""The MNIST network that comes with the tutorials, fed from Python, with flags and summaries."""

from __future__ import absolute_import, division, print_function

import argparse
import sys
import time

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data, mnist

FLAGS = None


def fill_feed_dict(data_set, images_pl, labels_pl):
    images_feed, labels_feed = data_set.next_batch(FLAGS.batch_size, False)
    return {images_pl: images_feed, labels_pl: labels_feed}


def do_eval(sess, eval_correct, images_placeholder, labels_placeholder, data_set):
    true_count = 0
    steps_per_epoch = data_set.num_examples // FLAGS.batch_size
    for _ in range(steps_per_epoch):
        feed_dict = fill_feed_dict(data_set, images_placeholder, labels_placeholder)
        true_count += sess.run(eval_correct, feed_dict=feed_dict)
    print("Precision @ 1: %0.04f" % (true_count / (steps_per_epoch * FLAGS.batch_size)))


def main(_):
    data_sets = input_data.read_data_sets(FLAGS.input_data_dir)
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, shape=(FLAGS.batch_size, mnist.IMAGE_PIXELS))
        labels = tf.placeholder(tf.int32, shape=(FLAGS.batch_size))
        logits = mnist.inference(images, FLAGS.hidden1, FLAGS.hidden2)
        loss = mnist.loss(logits, labels)
        train_op = mnist.training(loss, FLAGS.learning_rate)
        eval_correct = mnist.evaluation(logits, labels)
        summary = tf.summary.merge_all()
        init = tf.global_variables_initializer()
        with tf.Session() as sess:
            summary_writer = tf.summary.FileWriter(FLAGS.log_dir, sess.graph)
            sess.run(init)
            for step in range(FLAGS.max_steps):
                start_time = time.time()
                feed_dict = fill_feed_dict(data_sets.train, images, labels)
                _, loss_value = sess.run([train_op, loss], feed_dict=feed_dict)
                duration = time.time() - start_time
                if step % 100 == 0:
                    print("Step %d: loss = %.2f (%.3f sec)" % (step, loss_value, duration))
                    summary_writer.add_summary(sess.run(summary, feed_dict=feed_dict), step)
                    summary_writer.flush()
            do_eval(sess, eval_correct, images, labels, data_sets.test)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", type=float, default=0.1)
    parser.add_argument("--max_steps", type=int, default=500)
    parser.add_argument("--hidden1", type=int, default=64)
    parser.add_argument("--hidden2", type=int, default=32)
    parser.add_argument("--batch_size", type=int, default=100)
    parser.add_argument("--input_data_dir", type=str, default="MNIST_data")
    parser.add_argument("--log_dir", type=str, default="logs")
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
