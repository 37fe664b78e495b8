"""The namespace `tf.contrib.legacy_seq2seq`: names only."""

from minitf.layers.legacy_seq2seq import (
    attention_decoder,
    basic_rnn_seq2seq,
    embedding_attention_decoder,
    embedding_attention_seq2seq,
    embedding_rnn_decoder,
    embedding_rnn_seq2seq,
    model_with_buckets,
    rnn_decoder,
    sequence_loss,
    sequence_loss_by_example,
    tied_rnn_seq2seq,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
