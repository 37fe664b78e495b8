"""Trains in two sessions, the second of which goes on where the first one stopped."""

from __future__ import print_function

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
model_path = "./model.ckpt"
batch_size = 100

x = tf.placeholder("float", [None, 784])
y = tf.placeholder("float", [None, 10])
hidden = tf.nn.relu(
    tf.matmul(x, tf.Variable(tf.random_normal([784, 32], stddev=0.1), name="w1"))
    + tf.Variable(tf.zeros([32]), name="b1")
)
pred = tf.matmul(
    hidden, tf.Variable(tf.random_normal([32, 10], stddev=0.1), name="w2")
) + tf.Variable(tf.zeros([10]), name="b2")
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=pred, labels=y))
optimizer = tf.train.AdamOptimizer(learning_rate=0.005).minimize(cost)
accuracy = tf.reduce_mean(
    tf.cast(tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1)), "float"), name="accuracy"
)
init = tf.global_variables_initializer()
saver = tf.train.Saver()


def train(sess, epochs):
    for _ in range(epochs):
        for _ in range(mnist.train.num_examples // batch_size):
            batch_x, batch_y = mnist.train.next_batch(batch_size)
            sess.run(optimizer, feed_dict={x: batch_x, y: batch_y})


test = {x: mnist.test.images, y: mnist.test.labels}
print("Starting 1st session...")
with tf.Session() as sess:
    sess.run(init)
    train(sess, 2)
    first = accuracy.eval(test)
    print("Accuracy:", first)
    save_path = saver.save(sess, model_path)
    print("Model saved in file: %s" % save_path)

print("Starting 2nd session...")
with tf.Session() as sess:
    sess.run(init)
    saver.restore(sess, model_path)
    print("Model restored:", accuracy.eval(test) == first)
    train(sess, 3)
    print("Accuracy:", accuracy.eval(test))

# The graph comes back from its file, too.
tf.reset_default_graph()
with tf.Session() as sess:
    restored = tf.train.import_meta_graph(model_path + ".meta")
    restored.restore(sess, tf.train.latest_checkpoint("."))
    names = [v.op.name for v in tf.trainable_variables()]
    print("Imported:", names)
