"""The names of `tf.keras.optimizers.schedules`."""

from minitf.library.keras.optimizers.schedules import CosineDecay as CosineDecay
from minitf.library.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
from minitf.library.keras.optimizers.schedules import ExponentialDecay as ExponentialDecay
from minitf.library.keras.optimizers.schedules import InverseTimeDecay as InverseTimeDecay
from minitf.library.keras.optimizers.schedules import LearningRateSchedule as LearningRateSchedule
from minitf.library.keras.optimizers.schedules import PiecewiseConstantDecay as PiecewiseConstantDecay
from minitf.library.keras.optimizers.schedules import PolynomialDecay as PolynomialDecay
from minitf.library.keras.optimizers.schedules import deserialize as deserialize
from minitf.library.keras.optimizers.schedules import serialize as serialize
