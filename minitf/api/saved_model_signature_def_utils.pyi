"""The names of `tf.saved_model.signature_def_utils`."""

from minitf.library.saving.signatures import build_signature_def as build_signature_def
from minitf.library.saving.signatures import classification_signature_def as classification_signature_def
from minitf.library.saving.signatures import is_valid_signature as is_valid_signature
from minitf.library.saving.signatures import predict_signature_def as predict_signature_def
from minitf.library.saving.signatures import regression_signature_def as regression_signature_def
