"""The names of `tf.saved_model`."""

from minitf.api import saved_model_signature_def_utils as signature_def_utils
from minitf.library.saving import saved_model as builder
from minitf.library.saving import saved_model_constants as constants
from minitf.library.saving import saved_model as loader
from minitf.library.saving import saved_model as main_op
from minitf.library.saving import saved_model_constants as signature_constants
from minitf.library.saving import saved_model_constants as tag_constants
from minitf.library.saving import signatures as utils
from minitf.library.saving.saved_model import SavedModelBuilder as Builder
from minitf.library.saving.saved_model import maybe_saved_model_directory as contains_saved_model
from minitf.library.saving.saved_model import load as load
from minitf.library.saving.saved_model import maybe_saved_model_directory as maybe_saved_model_directory
from minitf.library.saving.saved_model import simple_save as simple_save
from minitf.library.saving.saved_model_constants import SERVING as SERVING
from minitf.library.saving.saved_model_constants import TRAINING as TRAINING
from minitf.library.saving.signatures import build_signature_def as build_signature_def
from minitf.library.saving.signatures import build_tensor_info as build_tensor_info
from minitf.library.saving.signatures import classification_signature_def as classification_signature_def
from minitf.library.saving.signatures import is_valid_signature as is_valid_signature
from minitf.library.saving.signatures import predict_signature_def as predict_signature_def
from minitf.library.saving.signatures import regression_signature_def as regression_signature_def

__all__ = [
    "Builder", "SERVING", "TRAINING", "build_signature_def", "build_tensor_info", "builder",
    "classification_signature_def", "constants", "contains_saved_model", "is_valid_signature",
    "load", "loader", "main_op", "maybe_saved_model_directory", "predict_signature_def",
    "regression_signature_def", "signature_constants", "signature_def_utils", "simple_save",
    "tag_constants", "utils"
]
