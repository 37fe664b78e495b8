"""The names of `tf.feature_column`."""

from minitf.library.feature_columns.base import categorical_column_with_hash_bucket as categorical_column_with_hash_bucket
from minitf.library.feature_columns.base import categorical_column_with_identity as categorical_column_with_identity
from minitf.library.feature_columns.base import categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list
from minitf.library.feature_columns.base import crossed_column as crossed_column
from minitf.library.feature_columns.base import weighted_categorical_column as weighted_categorical_column
from minitf.library.feature_columns.dense import bucketized_column as bucketized_column
from minitf.library.feature_columns.dense import embedding_column as embedding_column
from minitf.library.feature_columns.dense import indicator_column as indicator_column
from minitf.library.feature_columns.dense import numeric_column as numeric_column
from minitf.library.feature_columns.models import input_layer as input_layer
from minitf.library.feature_columns.models import linear_model as linear_model
from minitf.library.feature_columns.models import make_parse_example_spec as make_parse_example_spec
