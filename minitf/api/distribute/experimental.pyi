"""The names of `tf.distribute.experimental`."""

from minitf.library.distribute.multi_worker import CollectiveCommunication as CollectiveCommunication
from minitf.library.distribute.multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from minitf.library.distribute.parameter_server import CentralStorageStrategy as CentralStorageStrategy
from minitf.library.distribute.parameter_server import ParameterServerStrategy as ParameterServerStrategy
from minitf.library.distribute.tpu_strategy import TPUStrategy as TPUStrategy
