"""The names of `tf.keras.preprocessing.sequence`."""

from minitf.library.keras.preprocessing.sequences import pad_sequences as pad_sequences
