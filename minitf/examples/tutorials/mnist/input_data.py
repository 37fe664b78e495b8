"""The namespace `tf.examples.tutorials.mnist.input_data`: names only."""

from minitf.datasets.mnist import (
    DEFAULT_SOURCE_URL,
    TEST_IMAGES,
    TEST_LABELS,
    TRAIN_IMAGES,
    TRAIN_LABELS,
    DataSet,
    Datasets,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    load_mnist,
    read_data_sets,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
