"""Answers to sheet 7 that are right in part; the points of each stand beside its name."""

import minitf as tf

layers = tf.keras.layers


# %% count-answer: 0
def parameters(inputs, units):
    """Forgets the biases, but not in the last layer."""
    total = units[-1]
    for each in units:
        total += inputs * each
        inputs = each
    return total


# %% twins-answer: 1
def twins(size, units):
    """Two layers, where one should see both."""
    left, right = tf.keras.Input((size,)), tf.keras.Input((size,))
    one = layers.Dense(units, activation="relu")(left)
    other = layers.Dense(units, activation="relu")(right)
    apart = layers.Lambda(lambda both: tf.abs(both[0] - both[1]))([one, other])
    return tf.keras.Model([left, right], layers.Dense(1, activation="sigmoid")(apart))


# %% bumps-answer: 0
class Bumps(layers.Layer):
    """Sums over the wrong axis."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        """Makes the centres."""
        self.centers = self.add_weight("centers", [self.units, int(input_shape[-1])])
        super().build(input_shape)

    def call(self, inputs):
        """From [batch, inputs] to something else."""
        apart = tf.expand_dims(inputs, 1) - self.centers
        return tf.exp(-tf.reduce_sum(tf.square(apart), axis=1))


# %% walk-answer: 2
def lowest(function, start, rate, steps):
    """With a variable and an optimizer, which is as good."""
    place = tf.Variable(start, dtype=tf.float32)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            height = function(place)
        optimizer.apply_gradients([(tape.gradient(height, place), place)])
    return place.numpy()


# %% stop-answer: 0
def epochs_run(losses, patience):
    """Compares with the epoch before, not with the best."""
    waited = 0
    for number in range(1, len(losses)):
        waited = 0 if losses[number] < losses[number - 1] else waited + 1
        if waited >= patience:
            return number + 1
    return len(losses)
