"""The names of `tf.keras.models`."""

from minitf.library.keras.engine.sequential import Sequential as Sequential
from minitf.library.keras.engine.sequential import clone_model as clone_model
from minitf.library.keras.engine.sequential import load_model as load_model
from minitf.library.keras.engine.sequential import model_from_config as model_from_config
from minitf.library.keras.engine.sequential import model_from_json as model_from_json
from minitf.library.keras.engine.training import Model as Model
from minitf.library.keras.saving.models import save_model as save_model
