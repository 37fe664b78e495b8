"""The names of `tf.keras.optimizers.schedules`."""

from minitf.library.keras.optimizers.base import LearningRateSchedule as LearningRateSchedule
from minitf.library.keras.optimizers.base import deserialize as deserialize
from minitf.library.keras.optimizers.base import serialize as serialize
