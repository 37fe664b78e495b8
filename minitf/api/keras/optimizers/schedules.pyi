"""The names of `tf.keras.optimizers.schedules`."""

from minitf.library.keras.optimizers.schedules import LearningRateSchedule as LearningRateSchedule
from minitf.library.keras.optimizers.schedules import deserialize as deserialize
from minitf.library.keras.optimizers.schedules import serialize as serialize
