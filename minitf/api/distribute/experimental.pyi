"""The names of `tf.distribute.experimental`."""

from minitf.library.distribute.strategies import CentralStorageStrategy as CentralStorageStrategy
from minitf.library.distribute.strategies import CollectiveCommunication as CollectiveCommunication
from minitf.library.distribute.strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from minitf.library.distribute.strategies import ParameterServerStrategy as ParameterServerStrategy
from minitf.library.distribute.tpu import TPUStrategy as TPUStrategy
