"""The names of `tf.contrib.crf`."""

from minitf.compat.contrib.crf import crf_log_likelihood as crf_log_likelihood
from minitf.compat.contrib.crf import crf_sequence_score as crf_sequence_score
from minitf.compat.contrib.crf import viterbi_decode as viterbi_decode
