"""The names of `tf.tpu.experimental`."""

from minitf.library.distribute.tpu_parameters import AdagradParameters as AdagradParameters
from minitf.library.distribute.tpu_parameters import AdamParameters as AdamParameters
from minitf.library.distribute.tpu_parameters import FtrlParameters as FtrlParameters
from minitf.library.distribute.tpu_parameters import StochasticGradientDescentParameters as StochasticGradientDescentParameters
from minitf.library.distribute.tpu_system import TPUSystemMetadata as TPUSystemMetadata
from minitf.library.distribute.tpu_system import initialize_tpu_system as initialize_tpu_system
from minitf.library.distribute.tpu_system import shutdown_tpu_system as shutdown_tpu_system
from minitf.library.distribute.tpu_topology import DeviceAssignment as DeviceAssignment
from minitf.library.distribute.tpu_topology import DeviceOrderMode as DeviceOrderMode
from minitf.library.distribute.tpu_topology import Topology as Topology
from minitf.library.feature_columns.tpu_columns import embedding_column as embedding_column
from minitf.library.feature_columns.tpu_columns import shared_embedding_columns as shared_embedding_columns
