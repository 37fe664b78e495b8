"""The names of `tf.contrib.seq2seq`."""

from minitf.compat.contrib.seq2seq import AttentionMechanism as AttentionMechanism
from minitf.compat.contrib.seq2seq import AttentionWrapper as AttentionWrapper
from minitf.compat.contrib.seq2seq import AttentionWrapperState as AttentionWrapperState
from minitf.compat.contrib.seq2seq import BahdanauAttention as BahdanauAttention
from minitf.compat.contrib.seq2seq import BasicDecoder as BasicDecoder
from minitf.compat.contrib.seq2seq import BasicDecoderOutput as BasicDecoderOutput
from minitf.compat.contrib.seq2seq import GreedyEmbeddingHelper as GreedyEmbeddingHelper
from minitf.compat.contrib.seq2seq import Helper as Helper
from minitf.compat.contrib.seq2seq import LuongAttention as LuongAttention
from minitf.compat.contrib.seq2seq import TrainingHelper as TrainingHelper
from minitf.compat.contrib.seq2seq import dynamic_decode as dynamic_decode
from minitf.compat.contrib.seq2seq import sequence_loss as sequence_loss
from minitf.compat.contrib.seq2seq import tile_batch as tile_batch
