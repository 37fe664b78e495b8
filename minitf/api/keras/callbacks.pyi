"""The names of `tf.keras.callbacks`."""

from minitf.library.keras.callbacks.base import Callback as Callback
from minitf.library.keras.callbacks.base import History as History
from minitf.library.keras.callbacks.base import LambdaCallback as LambdaCallback
from minitf.library.keras.callbacks.callbacks import CSVLogger as CSVLogger
from minitf.library.keras.callbacks.callbacks import EarlyStopping as EarlyStopping
from minitf.library.keras.callbacks.callbacks import LearningRateScheduler as LearningRateScheduler
from minitf.library.keras.callbacks.callbacks import ModelCheckpoint as ModelCheckpoint
from minitf.library.keras.callbacks.callbacks import ReduceLROnPlateau as ReduceLROnPlateau
from minitf.library.keras.callbacks.callbacks import TensorBoard as TensorBoard
