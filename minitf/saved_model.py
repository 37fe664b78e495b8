"""The names of `tf.saved_model`; `builder`, `loader`, `utils` and the like are its namespaces."""

from minitf.train import saved_model as builder
from minitf.train import saved_model as loader
from minitf.train import saved_model as main_op
from minitf.train import saved_model_constants as constants
from minitf.train import saved_model_constants as signature_constants
from minitf.train import saved_model_constants as tag_constants
from minitf.train import signatures as signature_def_utils
from minitf.train import signatures as utils
from minitf.train.saved_model import SavedModelBuilder as Builder
from minitf.train.saved_model import (
    load,
    main_op_with_restore,
    maybe_saved_model_directory,
    simple_save,
)
from minitf.train.saved_model import maybe_saved_model_directory as contains_saved_model
from minitf.train.saved_model_constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    CLASSIFY_INPUTS,
    CLASSIFY_METHOD_NAME,
    CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    GPU,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    PREDICT_INPUTS,
    PREDICT_METHOD_NAME,
    PREDICT_OUTPUTS,
    REGRESS_INPUTS,
    REGRESS_METHOD_NAME,
    REGRESS_OUTPUTS,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    TPU,
    TRAINING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from minitf.train.signatures import (
    build_signature_def,
    build_tensor_info,
    classification_signature_def,
    get_tensor_from_tensor_info,
    is_valid_signature,
    predict_signature_def,
    regression_signature_def,
)
