"""`tf.contrib.tpu.TPUEstimator`, as published models use it, on a machine without TPUs.

    TPUEstimator(model_fn, config=RunConfig(tpu_config=TPUConfig(...)), train_batch_size=32)
      -> input_fn(params)         params["batch_size"] is that of the mode
      -> model_fn(..., params)    params["batch_size"] too, and params["use_tpu"], which is False
      -> TPUEstimatorSpec         becomes an EstimatorSpec: metrics and host calls are made here

That is what TensorFlow does with `use_tpu=False`. Here `use_tpu=True` does the same, after its
checks: the whole batch is computed as one. Cores that are simulated are those of `TPUStrategy`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from minitf.compat.contrib.training import HParams
from minitf.core.graph import logging
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.run_config import RunConfig, TaskType
from minitf.library.estimator.spec import (
    EstimatorSpec,
    ModeKeys,
    argument_names,
    call_with_known,
    hooks_of_spec,
    verify_model_fn_args,
)
from minitf.library.sessions.basic_hooks import SessionRunArgs, SessionRunHook
from minitf.library.sessions.scaffold import Scaffold

_BATCH_SIZE, _RESERVED = "batch_size", ("batch_size", "context")
_HOOKS = ("training_hooks", "evaluation_hooks", "prediction_hooks")


class InputPipelineConfig:
    """How often `input_fn` is called: for each core, for each host, or once."""

    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = range(1, 6)


class _TPUConfig(NamedTuple):
    iterations_per_loop: int = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: Any = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: int | None = None
    input_partition_dims: Any = None
    eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1
    experimental_host_call_every_n_steps: int = 1


class TPUConfig(_TPUConfig):
    """Settings of a TPU; without one they are kept, and change nothing.

    Args:
      iterations_per_loop: steps for each `Session.run`.
      num_shards: how many replicas there are.
      num_cores_per_replica: a power of two up to 128, or None.
      per_host_input_for_training: an `InputPipelineConfig`, or whether it is PER_HOST_V1.
      tpu_job_name: the job of the TPU's workers.
      initial_infeed_sleep_secs: how long to wait before the first batch, in seconds.
      input_partition_dims: how inputs are cut for the cores of a replica.
      eval_training_input_configuration: PER_HOST_V1 or SLICED.
      experimental_host_call_every_n_steps: how often the host is called.

    Raises:
      ValueError: when a value is out of its range.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> TPUConfig:
        made = super().__new__(cls, *args, **kwargs)
        steps, cores = made.iterations_per_loop, made.num_cores_per_replica
        if isinstance(steps, int) and steps < 1:
            raise ValueError(
                f"Invalid iterations_per_loop value. Value must be positive number. Got: {steps}."
            )
        if made.num_shards is not None:
            _check_positive(made.num_shards, "TPUConfig num_shards")
        if cores not in (None, *(1 << n for n in range(8))):
            raise ValueError(
                f"num_cores_per_replica must be 1, 2, 4, 8, 16, 32, 64, 128; got {cores}"
            )
        if isinstance(made.per_host_input_for_training, bool):
            made = made._replace(per_host_input_for_training=1 + made.per_host_input_for_training)
        return made


class TPURunConfig(RunConfig):
    """A `RunConfig` with the settings of a TPU.

    Args:
      tpu_config: a `TPUConfig`.
      evaluation_master, master: the targets of sessions that evaluate and train.
      cluster: a cluster resolver, instead of `master`.
      kwargs: what `tf.estimator.RunConfig` takes.

    Raises:
      ValueError: when both `master` and `cluster` are given.
    """

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._tpu_config, self.cluster = tpu_config or TPUConfig(), cluster
        if master is not None and cluster is not None:
            raise ValueError("Both master and cluster are set.")
        if cluster is not None:
            master, self._cluster_spec = cluster.master(), cluster.cluster_spec()
        if master is not None:
            self._master = master
        if evaluation_master is not None:
            self._evaluation_master = evaluation_master
        elif not self._evaluation_master and self.task_type != TaskType.EVALUATOR:
            self._evaluation_master = self._master


TPURunConfig.__name__ = TPURunConfig.__qualname__ = "RunConfig"


class _TPUEstimatorSpec(NamedTuple):
    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Callable[[], Scaffold] | None = None
    host_call: Any = None
    training_hooks: Iterable[SessionRunHook] | None = None
    evaluation_hooks: Iterable[SessionRunHook] | None = None
    prediction_hooks: Iterable[SessionRunHook] | None = None


class TPUEstimatorSpec(_TPUEstimatorSpec):
    """What a model_fn of a `TPUEstimator` returns.

    Args:
      mode, predictions, loss, train_op, export_outputs: as in `tf.estimator.EstimatorSpec`.
      eval_metrics: (function, tensors): the function makes `eval_metric_ops` of the tensors, which
        are a list or a dict of its arguments.
      scaffold_fn: a function without arguments that makes the `Scaffold`.
      host_call: (function, tensors): the function makes tensors that each step runs.
      training_hooks, evaluation_hooks, prediction_hooks: more `SessionRunHook`s.

    Raises:
      ValueError, TypeError, RuntimeError: when a pair is none, or a hook is none.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> TPUEstimatorSpec:
        made = super().__new__(cls, *args, **kwargs)
        _check_call("eval_metrics", made.eval_metrics)
        _check_call("host_call", made.host_call)
        hooks: dict[str, Any] = {name: hooks_of_spec(getattr(made, name)) for name in _HOOKS}
        return made._replace(**hooks)

    def as_estimator_spec(self) -> EstimatorSpec:
        """Makes the `EstimatorSpec` that says the same, with metrics and host calls made."""
        made = {
            name: _called(pair)
            for name in ("eval_metrics", "host_call")
            if (pair := getattr(self, name)) is not None
        }
        host = (_HostCallHook(made["host_call"]),) if "host_call" in made else ()
        return EstimatorSpec(
            self.mode,
            self.predictions,
            self.loss,
            self.train_op,
            made.get("eval_metrics"),
            self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            **{name: getattr(self, name) + host for name in _HOOKS},
        )


class _HostCallHook(SessionRunHook):
    """Runs the tensors of a host call with each step."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._tensors)


class TPUEstimator(Estimator):
    """An estimator whose input_fn and model_fn find the batch size in `params["batch_size"]`.

    Args:
      model_fn: `model_fn(features, labels, mode, config, params)` returns a `TPUEstimatorSpec` or
        an `EstimatorSpec`; it must take `params`.
      model_dir: where checkpoints and events go.
      config: a `tf.contrib.tpu.RunConfig`.
      params: a dict or `HParams` of settings.
      use_tpu: only checked: the batch is computed on this machine.
      train_batch_size, eval_batch_size, predict_batch_size: of all cores together.
      batch_axis, eval_on_tpu, export_to_tpu, export_to_cpu: not used.
      warm_start_from: as in `tf.estimator.Estimator`.
      embedding_config_spec, export_saved_model_api_version: not used.

    Raises:
      ValueError: when `config` is no such RunConfig, `params` has reserved keys, `model_fn` takes
        other arguments, or a batch size is missing.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: TPURunConfig | None = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        if not isinstance(config, TPURunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        if params is not None and any(key in params for key in _RESERVED):
            raise ValueError(f"{list(_RESERVED)} are reserved keys but existed in params {params}.")
        if use_tpu:
            if train_batch_size is None:
                raise ValueError("`train_batch_size` cannot be `None`")
            _check_positive(train_batch_size, "train_batch_size")
            logging.info("There is no TPU here: %s runs on this machine.", type(self).__name__)
        if model_fn is not None:
            verify_model_fn_args(model_fn, params)
        super().__init__(model_fn, model_dir, config, params or {}, warm_start_from)  # type: ignore[arg-type]
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        self._reads_inputs = False  # not so while a model is exported

    def _inputs(self, input_fn: Callable, mode: str) -> tuple[Any, Any, list[SessionRunHook]]:
        if "params" not in argument_names(input_fn):
            raise ValueError(
                f"input_fn ({input_fn}) does not include params argument, required by "
                'TPUEstimator to pass batch size as params["batch_size"]'
            )
        self._reads_inputs = True
        offered = {"mode": mode, "config": self.config}
        params = self._params_of(mode)
        return super()._inputs(lambda: call_with_known(input_fn, offered, params=params), mode)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        if "params" not in argument_names(self._model_fn):
            raise ValueError(
                f"model_fn ({self._model_fn}) does not include params argument, required by "
                "TPUEstimator to pass batch size as params['batch_size']"
            )
        model_fn, params = self._model_fn, self._params_of(mode if self._reads_inputs else None)
        _add(params, "use_tpu", False)
        self._reads_inputs = False

        def plain(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            offered = {"mode": mode, "config": config}
            if "labels" in argument_names(model_fn):
                offered["labels"] = labels
            elif labels is not None:
                raise ValueError("model_fn does not take labels, but input_fn returns labels.")
            spec = call_with_known(model_fn, offered, features=features, params=params)
            return spec.as_estimator_spec() if isinstance(spec, TPUEstimatorSpec) else spec

        self._model_fn = plain
        try:
            return super()._call_model_fn(features, labels, mode, config)
        finally:
            self._model_fn = model_fn

    def _params_of(self, mode: str | None) -> Any:
        """The settings, with the batch size of a mode where there is one."""
        params = copy.deepcopy(self._params)
        if (size := self._batch_sizes.get(mode or "")) is not None:
            _add(params, _BATCH_SIZE, size)
        return params


def _add(params: Any, key: str, value: Any) -> None:
    if not isinstance(params, HParams):
        params[key] = value
    elif key in params:
        params.set_hparam(key, value)
    else:
        params.add_hparam(key, value)


def _check_positive(value: Any, name: str) -> None:
    if value <= 0:
        raise ValueError(f"{name} must be positive, got {value}")


def _check_call(name: str, pair: Any) -> None:
    """Checks a function and the tensors that it is called with."""
    if pair is None:
        return
    if not isinstance(pair, tuple | list):
        raise ValueError(f"{name} should be tuple or list")
    if len(pair) != 2:
        raise ValueError(f"{name} should have two elements.")
    if not callable(pair[0]):
        raise TypeError(f"{name}[0] should be callable.")
    if not isinstance(pair[1], tuple | list | dict):
        raise ValueError(f"{name}[1] should be tuple or list, or dict.")


def _called(pair: Any) -> Any:
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)
