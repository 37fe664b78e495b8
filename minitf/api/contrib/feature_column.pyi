"""The names of `tf.contrib.feature_column`."""

from minitf.library.feature_columns.categorical import sequence_categorical_column_with_identity as sequence_categorical_column_with_identity
