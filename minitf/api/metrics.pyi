"""The names of `tf.metrics`."""

from minitf.library.metrics.metrics import accuracy as accuracy
from minitf.library.metrics.metrics import auc as auc
from minitf.library.metrics.metrics import average_precision_at_k as average_precision_at_k
from minitf.library.metrics.metrics import false_negatives as false_negatives
from minitf.library.metrics.metrics import false_positives as false_positives
from minitf.library.metrics.metrics import mean as mean
from minitf.library.metrics.metrics import mean_absolute_error as mean_absolute_error
from minitf.library.metrics.metrics import mean_squared_error as mean_squared_error
from minitf.library.metrics.metrics import precision as precision
from minitf.library.metrics.metrics import precision_at_k as precision_at_k
from minitf.library.metrics.metrics import recall as recall
from minitf.library.metrics.metrics import recall_at_k as recall_at_k
from minitf.library.metrics.metrics import root_mean_squared_error as root_mean_squared_error
from minitf.library.metrics.metrics import true_positives as true_positives
