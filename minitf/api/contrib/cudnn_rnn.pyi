"""The names of `tf.contrib.cudnn_rnn`."""

from minitf.compat.contrib.cudnn_rnn import CudnnCompatibleGRUCell as CudnnCompatibleGRUCell
from minitf.compat.contrib.cudnn_rnn import CudnnCompatibleLSTMCell as CudnnCompatibleLSTMCell
from minitf.compat.contrib.cudnn_rnn import CudnnGRU as CudnnGRU
from minitf.compat.contrib.cudnn_rnn import CudnnLSTM as CudnnLSTM
from minitf.compat.contrib.cudnn_rnn import CudnnRNNRelu as CudnnRNNRelu
from minitf.compat.contrib.cudnn_rnn import CudnnRNNTanh as CudnnRNNTanh
