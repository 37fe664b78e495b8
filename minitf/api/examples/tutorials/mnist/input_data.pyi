"""The names of `tf.examples.tutorials.mnist.input_data`."""

from minitf.library.datasets.mnist import DataSet as DataSet
from minitf.library.datasets.mnist import Datasets as Datasets
from minitf.library.datasets.mnist import TEST_IMAGES as TEST_IMAGES
from minitf.library.datasets.mnist import TEST_LABELS as TEST_LABELS
from minitf.library.datasets.mnist import TRAIN_IMAGES as TRAIN_IMAGES
from minitf.library.datasets.mnist import load_mnist as load_mnist
from minitf.library.datasets.mnist import read_data_sets as read_data_sets
