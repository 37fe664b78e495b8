"""The names of `tf.contrib.grid_rnn`."""

from minitf.compat.contrib.grid_rnn import Grid1BasicLSTMCell as Grid1BasicLSTMCell
from minitf.compat.contrib.grid_rnn import Grid1BasicRNNCell as Grid1BasicRNNCell
from minitf.compat.contrib.grid_rnn import Grid1GRUCell as Grid1GRUCell
from minitf.compat.contrib.grid_rnn import Grid1LSTMCell as Grid1LSTMCell
from minitf.compat.contrib.grid_rnn import Grid2BasicLSTMCell as Grid2BasicLSTMCell
from minitf.compat.contrib.grid_rnn import Grid2BasicRNNCell as Grid2BasicRNNCell
from minitf.compat.contrib.grid_rnn import Grid2GRUCell as Grid2GRUCell
from minitf.compat.contrib.grid_rnn import Grid2LSTMCell as Grid2LSTMCell
from minitf.compat.contrib.grid_rnn import Grid3LSTMCell as Grid3LSTMCell
from minitf.compat.contrib.grid_rnn import GridRNNCell as GridRNNCell
