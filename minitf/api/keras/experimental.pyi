"""The names of `tf.keras.experimental`."""

from minitf.library.feature_columns.layers import SequenceFeatures as SequenceFeatures
from minitf.library.keras.layers.recurrent_cells import PeepholeLSTMCell as PeepholeLSTMCell
from minitf.library.keras.optimizers.schedules import CosineDecay as CosineDecay
from minitf.library.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
from minitf.library.keras.optimizers.schedules import LinearCosineDecay as LinearCosineDecay
from minitf.library.keras.optimizers.schedules import NoisyLinearCosineDecay as NoisyLinearCosineDecay
from minitf.library.keras.premade import LinearModel as LinearModel
from minitf.library.keras.premade import WideDeepModel as WideDeepModel
from minitf.library.keras.saving.exporting import export_saved_model as export_saved_model
from minitf.library.keras.saving.loading import load_from_saved_model as load_from_saved_model
from minitf.library.keras.utils.feeding import terminate_keras_multiprocessing_pools as terminate_keras_multiprocessing_pools
