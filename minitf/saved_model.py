"""The names of `tf.saved_model`; `builder`, `loader`, `utils` and the like are its namespaces."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.train: builder=saved_model constants=saved_model_constants loader=saved_model
    main_op=saved_model signature_constants=saved_model_constants signature_def_utils=signatures
    tag_constants=saved_model_constants utils=signatures
minitf.train.saved_model: Builder=SavedModelBuilder
    contains_saved_model=maybe_saved_model_directory load main_op_with_restore
    maybe_saved_model_directory simple_save
minitf.train.saved_model_constants: ASSETS_DIRECTORY ASSETS_KEY CLASSIFY_INPUTS
    CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES
    DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU LEGACY_INIT_OP_KEY MAIN_OP_KEY PREDICT_INPUTS
    PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
    SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION SERVING TPU
    TRAINING VARIABLES_DIRECTORY VARIABLES_FILENAME
minitf.train.signatures: build_signature_def build_tensor_info classification_signature_def
    get_tensor_from_tensor_info is_valid_signature predict_signature_def regression_signature_def
""",
)
