"""Answers to sheet 11 that are right in part; the points of each stand beside its name."""

import numpy as np

import minitf as tf


# %% inside-answer: 2
def largest_change(old, new):
    """Asks the old one for all that is in the new one."""
    load = tf.train.load_variable
    names = dict(tf.train.list_variables(new))
    changes = {name: float(np.abs(load(new, name) - load(old, name)).max()) for name in names}
    name = max(changes, key=changes.get)
    return name, changes[name]


# %% rename-answer: 3
def restore_from(sess, path, scope):
    """Takes network/ for net/, too."""
    with sess.graph.as_default():
        inside = [v for v in tf.global_variables() if v.op.name.startswith(scope)]
        names = {v.op.name[len(scope) + 1 :]: v for v in inside}
        tf.train.Saver(names).restore(sess, path)


# %% queue-answer: 2
def longest_lines(files, count):
    """Throws a smaller last batch away."""
    found = []
    with tf.Graph().as_default(), tf.Session() as sess:
        names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        _, line = tf.TextLineReader().read(names)
        batch = tf.train.batch([line], count)
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while True:
                found.append(max(len(each) for each in sess.run(batch)))
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    return found
