"""The names of `tf.contrib.slim`."""

from minitf.api.contrib.framework import *
from minitf.api.contrib.layers import *
from minitf.api.contrib import losses as losses
from minitf.api.contrib import metrics as metrics
from minitf.api.contrib.slim import model_analyzer as model_analyzer
from minitf.api.contrib.slim import nets as nets
