"""The names of `tf.contrib`."""

from minitf.api import keras as keras
from minitf.api.contrib import boosted_trees as boosted_trees
from minitf.api.contrib import cluster_resolver as cluster_resolver
from minitf.api.contrib import data as data
from minitf.api.contrib import eager as eager
from minitf.api.contrib import estimator as estimator
from minitf.api.contrib import factorization as factorization
from minitf.api.contrib import feature_column as feature_column
from minitf.api.contrib import framework as framework
from minitf.api.contrib import layers as layers
from minitf.api.contrib import learn as learn
from minitf.api.contrib import legacy_seq2seq as legacy_seq2seq
from minitf.api.contrib import lookup as lookup
from minitf.api.contrib import losses as losses
from minitf.api.contrib import metrics as metrics
from minitf.api.contrib import predictor as predictor
from minitf.api.contrib import rnn as rnn
from minitf.api.contrib import saved_model as saved_model
from minitf.api.contrib import seq2seq as seq2seq
from minitf.api.contrib import slim as slim
from minitf.api.contrib import staging as staging
from minitf.api.contrib import tensor_forest as tensor_forest
from minitf.api.contrib import tensorboard as tensorboard
from minitf.api.contrib import tpu as tpu
from minitf.api.contrib import training as training
from minitf.api.contrib import util as util
