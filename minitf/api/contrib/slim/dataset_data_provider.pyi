"""The names of `tf.contrib.slim.dataset_data_provider`."""

from minitf.compat.slim.data import DatasetDataProvider as DatasetDataProvider
