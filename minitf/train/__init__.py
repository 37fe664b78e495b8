"""Training: optimizers, checkpoints, monitored sessions, input threads, and where variables go.

    optimizer, schedules, moving_averages     from a loss to an update
    saver, meta_graph, saved_model            from a session to files, and back
    monitored_session, hooks, supervisor      from a graph to a training that looks after itself
    coordinator, queue_runner, batching       threads that bring the data

Stands on variables, transforms, runtime and ops. The package is at the same time the namespace
`tf.train`.
"""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.cluster.cluster_spec: ClusterDef ClusterSpec JobDef ServerDef
minitf.cluster.server: Server
minitf.framework.example_proto: BytesList Example Feature FeatureList FeatureLists Features
    FloatList Int64List SequenceExample
minitf.ops.checkpoint_reader: NewCheckpointReader=CheckpointReader
minitf.summary.event_file: summary_iterator
minitf.summary.writer: SummaryWriter=FileWriter SummaryWriterCache=FileWriterCache
minitf.train.adadelta: AdadeltaOptimizer
minitf.train.adagrad: AdagradOptimizer
minitf.train.adagrad_da: AdagradDAOptimizer
minitf.train.adam: AdamOptimizer
minitf.train.basic_hooks: FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook
    NanLossDuringTrainingError NanTensorHook SecondOrStepTimer StopAtStepHook
minitf.train.batching: batch batch_join maybe_batch maybe_batch_join maybe_shuffle_batch
    maybe_shuffle_batch_join shuffle_batch shuffle_batch_join
minitf.train.checkpoint_state: checkpoint_exists generate_checkpoint_state_proto
    get_checkpoint_mtimes get_checkpoint_state latest_checkpoint remove_checkpoint
    update_checkpoint_state
minitf.train.checkpoint_utils: checkpoints_iterator init_from_checkpoint list_variables
    load_checkpoint load_variable
minitf.train.coordinator: Coordinator LooperThread
minitf.train.device_setter: replica_device_setter
minitf.train.ftrl: FtrlOptimizer
minitf.train.gradient_descent: GradientDescentOptimizer
minitf.train.input_producers: input_producer limit_epochs match_filenames_once
    range_input_producer slice_input_producer string_input_producer
minitf.train.meta_graph: export_meta_graph write_graph
minitf.train.momentum: MomentumOptimizer
minitf.train.monitored_session: ChiefSessionCreator MonitoredSession MonitoredTrainingSession
    SingularMonitoredSession WorkerSessionCreator
minitf.train.moving_averages: ExponentialMovingAverage
minitf.train.object_checkpoint: Checkpoint CheckpointManager
minitf.train.optimizer: Optimizer
minitf.train.proximal: ProximalAdagradOptimizer ProximalGradientDescentOptimizer
minitf.train.queue_runner: QueueRunner add_queue_runner start_queue_runners
minitf.train.rmsprop: RMSPropOptimizer
minitf.train.saver: Saver import_meta_graph
minitf.train.saver_builder: SaverDef
minitf.train.saving_hooks: CheckpointSaverHook CheckpointSaverListener ProfilerHook
    StepCounterHook SummarySaverHook
minitf.train.scaffold: Scaffold
minitf.train.schedules: cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay
    linear_cosine_decay natural_exp_decay noisy_linear_cosine_decay piecewise_constant
    piecewise_constant_decay=piecewise_constant polynomial_decay
minitf.train.session_layers: SessionCreator
minitf.train.session_manager: SessionManager
minitf.train.session_run_hook: SessionRunArgs SessionRunContext SessionRunHook SessionRunValues
minitf.train.supervisor: Supervisor basic_train_loop
minitf.train.sync_replicas: SyncReplicasOptimizer
minitf.train.training_util: assert_global_step create_global_step get_global_step
    get_or_create_global_step global_step
""",
)
