"""One program on several devices and machines.

    values < cross_device_ops < variables, replicas < strategy < strategies
    inputs              how datasets reach the replicas
    collectives/        how the workers of a cluster reduce
    resolvers, tpu      who knows the cluster, and simulated TPU cores

Code outside of this package finds a strategy so:

- **core** asks `stacks.strategies.top()`: None outside of all strategies, else an item with
  `strategy`, and `replica_context` (None between replicas). So an optimizer calls
  `place.replica_context.merge_call(self._distributed_apply, args=...)`, and there
  `strategy.extended.batch_reduce_to` and `.update`.
- **library** (layers, Keras, metrics) may ask the same stack, so that no package needs this one. A
  variable is made by `tf.Variable(...)` with `synchronization` and `aggregation`: the creator of
  the scope makes the copies, and what comes back is a `Variable` (`has_copies` is true of it).
- a metric's variables are `ON_READ` with `SUM`; its `result` is computed between the replicas, by
  `merge_call`, or after them.
- who stands above (Keras models, estimators) imports `strategy.py` from here.
"""
