"""The namespace `tf.contrib.seq2seq`: names only."""

from minitf.layers.attention import (
    AttentionMechanism,
    AttentionWrapper,
    AttentionWrapperState,
    BahdanauAttention,
    LuongAttention,
    hardmax,
)
from minitf.layers.seq2seq import (
    BasicDecoder,
    BasicDecoderOutput,
    Decoder,
    GreedyEmbeddingHelper,
    Helper,
    SampleEmbeddingHelper,
    TrainingHelper,
    dynamic_decode,
    sequence_loss,
    tile_batch,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
