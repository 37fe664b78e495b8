"""The names of `tf.contrib.ndlstm.lstm2d`."""

from minitf.compat.contrib.ndlstm import get_blocks as get_blocks
from minitf.compat.contrib.ndlstm import horizontal_lstm as horizontal_lstm
from minitf.compat.contrib.ndlstm import images_to_sequence as images_to_sequence
from minitf.compat.contrib.ndlstm import reduce_to_final as reduce_to_final
from minitf.compat.contrib.ndlstm import reduce_to_sequence as reduce_to_sequence
from minitf.compat.contrib.ndlstm import separable_lstm as separable_lstm
from minitf.compat.contrib.ndlstm import sequence_to_images as sequence_to_images
