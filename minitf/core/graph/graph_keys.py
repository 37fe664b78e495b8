"""The standard names of a graph's collections.

A collection is a named list that belongs to a graph: whoever builds a part of the program leaves
things there under an agreed name, and whoever comes later finds them.

    tf.Variable(...)   ---> GLOBAL_VARIABLES ---> tf.global_variables_initializer()
                       ---> TRAINABLE_VARIABLES -> optimizer.minimize(loss)
    regularizer=...    ---> REGULARIZATION_LOSSES
"""


class GraphKeys:
    """Names under which the library itself keeps things in a graph's collections.

    Any other string works as a collection's name too; these are the ones that other parts of the
    library read.

    Example:
      >>> tf.add_to_collection(tf.GraphKeys.LOSSES, tf.constant(0.5, name="loss"))
      >>> tf.get_collection(tf.GraphKeys.LOSSES)
      [<tf.Tensor 'loss:0' shape=() dtype=float32>]
    """

    # Variables: shared by all tasks, held by one process, used as metric accumulators.
    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"

    # Training.
    GLOBAL_STEP = "global_step"
    TRAIN_OP = "train_op"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    UPDATE_OPS = "update_ops"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    EVAL_STEP = "eval_step"

    # Start-up of a session, as a supervisor performs it.
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"

    # Summaries, queues, control flow.
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    QUEUE_RUNNERS = "queue_runners"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"

    # The spelling of the first releases.
    VARIABLES = GLOBAL_VARIABLES
