"""The names of `tf.contrib.legacy_seq2seq`."""

from minitf.compat.contrib.legacy_seq2seq import embedding_attention_seq2seq as embedding_attention_seq2seq
from minitf.compat.contrib.legacy_seq2seq import embedding_rnn_seq2seq as embedding_rnn_seq2seq
from minitf.compat.contrib.legacy_seq2seq import model_with_buckets as model_with_buckets
from minitf.compat.contrib.legacy_seq2seq import rnn_decoder as rnn_decoder
from minitf.compat.contrib.legacy_seq2seq import sequence_loss as sequence_loss
from minitf.compat.contrib.legacy_seq2seq import sequence_loss_by_example as sequence_loss_by_example
