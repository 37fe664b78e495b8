"""The names of `tf.keras.preprocessing.sequence`."""

from minitf.library.keras.preprocessing.sequence import TimeseriesGenerator as TimeseriesGenerator
from minitf.library.keras.preprocessing.sequence import make_sampling_table as make_sampling_table
from minitf.library.keras.preprocessing.sequence import pad_sequences as pad_sequences
from minitf.library.keras.preprocessing.sequence import skipgrams as skipgrams
