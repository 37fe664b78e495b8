"""The names of `tf.contrib.ndlstm.lstm1d`."""

from minitf.compat.contrib.ndlstm import ndlstm_base as ndlstm_base
from minitf.compat.contrib.ndlstm import ndlstm_base_dynamic as ndlstm_base_dynamic
from minitf.compat.contrib.ndlstm import ndlstm_base_unrolled as ndlstm_base_unrolled
from minitf.compat.contrib.ndlstm import sequence_softmax as sequence_softmax
from minitf.compat.contrib.ndlstm import sequence_to_final as sequence_to_final
