"""Answers to sheet 5 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% cell-answer: 2
def last_state(x, Wg, Ug, Wc, Uc):
    """The right state, through which no gradient flows."""

    def step(h, now):
        h = tf.stop_gradient(h)
        gate = tf.sigmoid(tf.matmul(now, Wg) + tf.matmul(h, Ug))
        return gate * h + (1 - gate) * tf.tanh(tf.matmul(now, Wc) + tf.matmul(h, Uc))

    first = tf.zeros(tf.stack([tf.shape(x)[0], tf.shape(Ug)[0]]))
    return tf.foldl(step, tf.transpose(x, [1, 0, 2]), initializer=first)


# %% gates-answer: 2
def lstm_step(x, h, c, kernel, bias, forget_bias):
    """Forgets the forget bias."""
    i, g, f, o = tf.split(tf.matmul(tf.concat([x, h], axis=1), kernel) + bias, 4, axis=1)
    memory = c * tf.sigmoid(f) + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(memory), memory


# %% mean-answer: 1
def mean_over_time(outputs, lengths):
    """Adds what stands behind the end, too."""
    return tf.reduce_sum(outputs, axis=1) / tf.cast(lengths, tf.float32)[:, tf.newaxis]


# %% last-answer: 1
def last_outputs(outputs, lengths):
    """Takes all sequences for full ones."""
    return outputs[:, -1]
