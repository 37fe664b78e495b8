"""The names of `tf.contrib.slim.dataset_data_provider`."""

from minitf.compat.contrib.slim_data import DatasetDataProvider as DatasetDataProvider
