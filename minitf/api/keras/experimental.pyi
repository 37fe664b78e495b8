"""The names of `tf.keras.experimental`."""

from minitf.library.feature_columns.layers import SequenceFeatures as SequenceFeatures
