"""The heads of `tf.contrib.learn`, and the estimators under them; formulas in NumPy beside them."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

learn, layers = tf.contrib.learn, tf.contrib.layers
TRAIN, EVAL, INFER = learn.ModeKeys.TRAIN, learn.ModeKeys.EVAL, learn.ModeKeys.INFER


@pytest.fixture(autouse=True)
def own_graph() -> Any:
    with tf.Graph().as_default():
        yield


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.asarray(x, float)))


def built(head: Any, mode: str = TRAIN, features: Any = None, **given: Any) -> Any:
    return head.create_model_fn_ops(features or {}, mode, train_op_fn=learn.no_op_train_fn, **given)


def found(ops: Any, *, runs: int = 1) -> tuple[float, dict[str, Any]]:
    """The loss to minimize, and the metrics after a few updates."""
    with tf.Session() as session:
        session.run(
            [
                tf.global_variables_initializer(),
                tf.local_variables_initializer(),
                tf.tables_initializer(),
            ]
        )
        for _ in range(runs):
            session.run([update for _, update in ops.eval_metric_ops.values()])
        values = {name: value for name, (value, _) in ops.eval_metric_ops.items()}
        return session.run((ops.loss, values))


def tags() -> list[str]:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        shown = [session.run(each) for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    return sorted(tf.Summary.FromString(each).value[0].tag for each in shown)


def names(collection: str) -> list[str]:
    return sorted(v.name for v in tf.get_collection(collection))


# ---- one head ----------------------------------------------------------------------------

LOGITS, NUMBERS = ((1.0,), (1.0,), (3.0,)), ((0.0,), (1.0,), (1.0,))


def test_numbers_by_their_squared_error() -> None:
    ops = built(learn.regression_head(), logits=LOGITS, labels=NUMBERS)
    loss, metrics = found(ops, runs=2)
    assert (loss, metrics) == (pytest.approx(5 / 3), {"loss": pytest.approx(5 / 3)})
    assert tags() == ["loss"] and tf.global_variables() == []
    ((kind, served),) = ops.output_alternatives.values()
    assert kind == learn.ProblemType.LINEAR_REGRESSION and served is ops.predictions
    assert ops.predictions["scores"].shape.as_list() == [3]
    assert isinstance(ops, learn.ModelFnOps) and ops.train_op is not None


@pytest.mark.parametrize("weights", [2.0, (2.0, 5.0, 0.0), ((2.0,), (5.0,), (0.0,))])
def test_weights_change_the_loss_of_the_gradient_and_the_one_that_is_told(weights: Any) -> None:
    head = learn.regression_head(weight_column_name="w")
    ops = built(head, features={"w": weights}, logits=LOGITS, labels=NUMBERS)
    loss, metrics = found(ops)
    w = np.broadcast_to(np.reshape(weights, -1), [3])
    total = np.sum(w * [1, 0, 4])
    assert loss == pytest.approx(total / 3)
    assert metrics["loss"] == pytest.approx(total / w.sum())
    with pytest.raises(ValueError, match="Weights w missing from features."):
        built(head, logits=LOGITS, labels=NUMBERS)
    assert built(head, INFER, logits=LOGITS).loss is None


def test_logits_come_of_a_layer_below_them() -> None:
    ops = built(learn.regression_head(), logits_input=np.zeros((3, 2), np.float32), labels=NUMBERS)
    made = ["regression_head/logits/biases:0", "regression_head/logits/weights:0"]
    assert names(tf.GraphKeys.GLOBAL_VARIABLES) == names(tf.GraphKeys.MODEL_VARIABLES) == made
    assert found(ops)[0] == pytest.approx(2 / 3)


def test_counts_by_the_loss_of_poisson() -> None:
    x, z = np.array([0.0, -1.0, 3.0]), np.array([0.0, 1.0, 2.0])
    ops = built(
        learn.poisson_regression_head(label_name="n"),
        logits=x[:, None].astype(np.float32),
        labels={"n": z[:, None].astype(np.float32)},
    )
    stirling = z * np.log(np.maximum(z, 1)) - z + 0.5 * np.log(2 * np.pi * np.maximum(z, 1))
    loss, metrics = found(ops)
    assert (
        loss
        == metrics["loss"]
        == pytest.approx(np.mean(np.exp(x) - z * x + np.where(z > 1, stirling, 0)), rel=1e-5)
    )
    with tf.Session() as session:
        assert session.run(ops.predictions["scores"]) == pytest.approx(np.exp(x))


def test_two_classes() -> None:
    logits, labels = ((1.0,), (-2.0,), (0.5,)), ((1,), (1,), (0,))
    head = learn.multi_class_head(2, thresholds=[0.5, 0.7], head_name="h")
    ops = built(head, EVAL, logits=logits, labels=labels)
    loss, metrics = found(ops)
    x, y = np.ravel(logits), np.ravel(labels)
    expected = np.mean(-y * np.log(sigmoid(x)) - (1 - y) * np.log(1 - sigmoid(x)))
    assert loss == pytest.approx(expected)
    key = learn.MetricKey
    assert ops.train_op is None
    assert metrics == {
        f"{name}/h": pytest.approx(value, abs=1e-3)
        for name, value in {
            key.LOSS: expected,
            key.ACCURACY: 1 / 3,
            key.PREDICTION_MEAN: sigmoid(x).mean(),
            key.LABEL_MEAN: 2 / 3,
            key.ACCURACY_BASELINE: 2 / 3,
            key.AUC: 0.5,
            key.AUC_PR: metrics["auc_precision_recall/h"],
            key.ACCURACY_MEAN % 0.5: 1 / 3,
            key.PRECISION_MEAN % 0.5: 1 / 2,
            key.RECALL_MEAN % 0.5: 1 / 2,
            key.ACCURACY_MEAN % 0.7: 2 / 3,
            key.PRECISION_MEAN % 0.7: 1,
            key.RECALL_MEAN % 0.7: 1 / 2,
        }.items()
    }
    assert tags() == ["loss/h"]
    kind, served = ops.output_alternatives["h"]
    with tf.Session() as session:
        classes, shown = session.run((served["classes"], ops.predictions))
    assert kind == learn.ProblemType.LOGISTIC_REGRESSION
    assert classes.tolist() == [[b"0", b"1"]] * 3
    assert shown["classes"].tolist() == [1, 0, 1]
    assert shown["probabilities"][:, 1:] == pytest.approx(shown["logistic"])


def test_one_example_has_the_numbers_of_tensorflows_test() -> None:
    """The expected numbers are those that TensorFlow tests its heads with."""
    head = learn.multi_class_head(3, metric_class_ids=range(3))
    loss, metrics = found(built(head, logits=((1.0, 0.0, 0.0),), labels=((2,),)))
    assert loss == pytest.approx(1.5514447)
    assert metrics["labels/probability_mean/class0"] == pytest.approx(0.576117, abs=1e-5)
    assert metrics["labels/probability_mean/class2"] == pytest.approx(0.211942, abs=1e-5)
    assert metrics["accuracy"] == 0 and metrics["labels/actual_label_mean/class2"] == 1
    head = learn.multi_label_head(3, metric_class_ids=range(3))
    ops = built(head, logits=((1.0, 0.0, 0.0),), labels=((0, 0, 1),))
    loss, metrics = found(ops)
    assert loss == pytest.approx(0.89985204)
    assert metrics["accuracy"] == pytest.approx(1 / 3)
    assert metrics["auc"] == pytest.approx(1 / 4, abs=1e-4)
    assert metrics["labels/prediction_mean/class0"] == 1
    assert metrics["labels/probability_mean/class0"] == pytest.approx(sigmoid(1))
    head = learn.multi_class_head(2, weight_column_name="w")
    ops = built(head, features={"w": (1.0, 0.0)}, logits=((1.0,), (1.0,)), labels=((1,), (0,)))
    loss, metrics = found(ops)
    assert loss == pytest.approx(0.31326166 / 2) and metrics["loss"] == pytest.approx(0.31326166)
    assert metrics["accuracy"] == 1
    assert metrics["precision/positive_threshold_0.500000_mean"] == pytest.approx(1)
    assert metrics["labels/prediction_mean"] == pytest.approx(0.731059)


def test_classes_with_words_as_labels() -> None:
    head = learn.multi_class_head(3, label_keys=["a", "b", "c"], weight_column_name="w")
    logits = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]], np.float32)
    ops = built(head, features={"w": [1.0, 3.0]}, logits=logits, labels=[["a"], ["c"]])
    loss, metrics = found(ops)
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    losses = -np.log([p[0, 0], p[1, 2]])
    assert loss == pytest.approx((losses * [1, 3]).mean(), rel=1e-5)
    assert metrics["loss"] == pytest.approx((losses * [1, 3]).sum() / 4, rel=1e-5)
    assert metrics["accuracy"] == pytest.approx(0.25)
    (_, served), = ops.output_alternatives.values()  # fmt: skip
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(ops.predictions["classes"]).tolist() == [b"a", b"b"]
        assert session.run(served["classes"]).tolist() == [[b"a", b"b", b"c"]] * 2


def test_a_linear_support_vector_head() -> None:
    logits, labels = ((-0.5,), (1.2,)), ((1,), (0,))
    ops = built(learn.binary_svm_head(), logits=logits, labels=labels)
    loss, metrics = found(ops)
    assert loss == metrics["loss"] == pytest.approx((1.5 + 2.2) / 2)
    assert metrics["accuracy"] == 0
    assert set(ops.predictions) == {"logits", "classes"}
    flat = built(learn.binary_svm_head(), logits=logits, labels=(1, 0))
    assert found(flat)[0] == loss


def test_labels_of_many_classes_may_be_sparse() -> None:
    sparse = tf.SparseTensorValue([[0, 0], [0, 1], [1, 0]], np.array([0, 2, 1]), (2, 2))
    logits = np.array([[1.0, -1.0, 2.0], [0.0, 3.0, -2.0]], np.float32)
    ops = built(learn.multi_label_head(3), logits=logits, labels=sparse)
    loss, metrics = found(ops)
    y = np.array([[1, 0, 1], [0, 1, 0]])
    expected = np.log1p(np.exp(logits)) - y * logits
    assert loss == pytest.approx(expected.mean(), rel=1e-5)
    assert metrics["accuracy"] == 1
    assert metrics["auc"] == pytest.approx(1, abs=1e-3)
    with pytest.raises(ValueError, match="SparseTensor is not supported."):
        built(learn.multi_class_head(3), logits=logits, labels=sparse)


def test_a_loss_function_of_the_programs_own() -> None:
    def loss_fn(labels: Any, logits: Any, weights: Any = 1.0) -> tf.Tensor:
        return tf.losses.sigmoid_cross_entropy(labels, logits, weights)

    head = learn.multi_class_head(2, weight_column_name="w", loss_fn=loss_fn)
    given = {"w": ((0.2,), (0.0,))}
    loss, metrics = found(built(head, features=given, logits=((1.0,),) * 2, labels=((1,), (0,))))
    assert loss == metrics["loss"] == pytest.approx(0.062652342)  # a number of TensorFlow's test
    with pytest.raises(ValueError, match="Argument weights not found in loss_fn."):
        learn.multi_label_head(2, loss_fn=lambda labels, logits: 0.0)


def test_a_centered_bias_takes_its_own_step() -> None:
    """Adagrad's first step: the gradient over the root of 0.1 and its square, times 0.1."""
    head = learn.regression_head(enable_centered_bias=True, weight_column_name="w")
    ops = built(head, features={"w": [1.0, 2.0, 5.0]}, logits=LOGITS, labels=NUMBERS)
    bias = "regression_head/centered_bias_weight"
    assert names(tf.GraphKeys.TRAINABLE_VARIABLES) == [f"{bias}:0"]
    assert names(tf.GraphKeys.GLOBAL_VARIABLES) == [
        f"{bias}:0",
        f"regression_head/{bias}/Adagrad:0",
    ]
    assert tags() == ["loss", "regression_head/centered_bias/bias_0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(ops.train_op)
        (value,) = session.run(tf.trainable_variables()[0])
    w, y = np.array([1.0, 2.0, 5.0]), np.ravel(NUMBERS)
    slope = np.sum(w * -2 * y)  # at 0, of the weighted sum of squares
    gradient = (slope / 3 + slope / 8) / 2
    assert value == pytest.approx(-0.1 * gradient / np.sqrt(0.1 + gradient**2))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: learn.multi_class_head(1), "n_classes must be > 1 for classification: 1."),
        (
            lambda: learn.multi_class_head(2, metric_class_ids=[1]),
            "metric_class_ids invalid for n_classes==2.",
        ),
        (
            lambda: learn.multi_class_head(2, label_keys=["a", "b"]),
            "label_keys is not supported for n_classes=2.",
        ),
        (
            lambda: learn.multi_class_head(3, label_keys=["a"]),
            "Length of label_keys must equal n_classes.",
        ),
        (
            lambda: learn.multi_label_head(3, metric_class_ids=[3]),
            r"Class ID 3 not in \[0, 3\).",
        ),
        (lambda: learn.regression_head(label_dimension=0), "Invalid logits_dimension 0."),
        (
            lambda: built(learn.regression_head(), labels=NUMBERS),
            "Neither logits nor logits_input supplied.",
        ),
        (
            lambda: built(learn.regression_head(), logits=LOGITS, logits_input=LOGITS),
            "Both logits and logits_input supplied.",
        ),
        (
            lambda: built(learn.regression_head(), logits=((1.0, 2.0),), labels=((1.0,),)),
            "Dimensions 2 and 1 are not compatible",
        ),
        (lambda: built(learn.regression_head(), "fly", logits=LOGITS), "mode=fly unrecognized."),
        (
            lambda: built(learn.multi_class_head(3), logits=((1.0, 2, 3),), labels=((1.0,),)),
            "Labels dtype should be integer",
        ),
        (
            lambda: learn.regression_head().create_model_fn_ops(
                {}, TRAIN, logits=LOGITS, labels=NUMBERS
            ),
            "train_op_fn can not be None in TRAIN mode",
        ),
    ],
)
def test_what_does_not_go_is_told(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_a_distribution_is_a_head() -> None:
    distributions = tf.contrib.distributions
    head = distributions.estimator_head_distribution_regression(
        lambda logits: distributions.Normal(logits[..., 0], tf.nn.softplus(logits[..., 1])),
        logits_dimension=2,
    )
    logits = np.array([[0.5, 1.0], [-1.0, 0.3], [2.0, 2.0]], np.float32)
    y = np.array([[0.0], [1.0], [1.5]], np.float32)
    ops = built(head, logits=logits, labels=y)
    mean, scale = logits[:, 0], np.log1p(np.exp(logits[:, 1]))
    z = (y[:, 0] - mean) / scale
    expected = np.mean(z**2 / 2 + np.log(scale) + np.log(2 * np.pi) / 2)
    loss, metrics = found(ops)
    assert loss == metrics["loss"] == pytest.approx(expected, rel=1e-5)
    assert len(head.distributions) == 1
    with tf.Session() as session:
        assert session.run(ops.predictions["scores"]) == pytest.approx(mean)
    with pytest.raises(TypeError, match="`make_distribution_fn` must be a callable function."):
        distributions.estimator_head_distribution_regression(None)


# ---- several heads -----------------------------------------------------------------------


def two_heads(**others: Any) -> Any:
    one = learn.multi_class_head(3, "a", head_name="one")
    two = learn.regression_head("b", head_name="two")
    more = learn.loss_only_head(lambda: [tf.constant(2.0), tf.constant(3.0)], "more")
    return learn.multi_head([one, two, more], **others)


PAIR = {"a": ((0,), (2,)), "b": ((1.0,), (2.0,))}
WIDE = np.array([[1.0, 0.0, 0.0, 3.0], [0.0, 0.0, 0.0, 1.0]], np.float32)


def test_heads_share_logits_and_their_losses_are_added() -> None:
    head = two_heads(loss_weights=[1.0, 0.5, 2.0])
    assert head.logits_dimension == 4
    steps: list[Any] = []
    ops = head.create_model_fn_ops(
        {}, TRAIN, PAIR, lambda loss: steps.append(loss) or tf.no_op(), logits=WIDE
    )
    first = np.mean([np.log(np.exp(1) + 2) - 1, np.log(3)])
    second = (4 + 1) / 2
    loss, metrics = found(ops)
    assert loss == pytest.approx(first + 0.5 * second + 2 * 5)
    assert steps == [ops.loss]
    assert metrics["loss/one"] == pytest.approx(first) and metrics["loss/two"] == second
    assert tags() == ["loss/more", "loss/one", "loss/two"]


def test_predictions_of_several_heads_have_pairs_as_names() -> None:
    apart = {"one": WIDE[:, :3], "two": WIDE[:, 3:]}
    ops = two_heads().create_model_fn_ops({}, INFER, logits=apart)
    assert set(ops.predictions) == {
        ("one", "logits"),
        ("one", "probabilities"),
        ("one", "classes"),
        ("two", "scores"),
    }
    assert set(ops.output_alternatives) == {"one", "two"}
    ops = two_heads().create_model_fn_ops({}, EVAL, PAIR, logits=apart)
    assert ("two", "scores") in ops.predictions and ops.train_op is None
    with pytest.raises(ValueError, match="Members of MultiHead must have names."):
        learn.multi_head([learn.regression_head()])
    with pytest.raises(ValueError, match="heads and loss_weights must have same size"):
        two_heads(loss_weights=[1.0])


# ---- estimators --------------------------------------------------------------------------


def clusters(count: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """Points around three centers."""
    rng = np.random.default_rng(0)
    y = np.arange(count) % 3
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    return (centers[y] + rng.normal(scale=0.5, size=(count, 2))).astype(np.float32), y


COLUMNS = [layers.real_valued_column("x", dimension=2)]


def data(of: Callable[[np.ndarray], Any] = lambda y: y) -> Callable[[], Any]:
    x, y = clusters()
    return lambda: ({"x": tf.constant(x)}, tf.constant(of(y)))


@pytest.mark.parametrize(
    "make",
    [
        lambda head: learn.LinearEstimator(COLUMNS, head),
        lambda head: learn.DNNEstimator(head, [8], COLUMNS, gradient_clip_norm=5.0),
        lambda head: learn.DNNLinearCombinedEstimator(
            head,
            linear_feature_columns=COLUMNS,
            dnn_feature_columns=COLUMNS,
            dnn_hidden_units=[16],
            dnn_optimizer=tf.train.AdamOptimizer(0.05),
            config=learn.RunConfig(tf_random_seed=3),
        ),
    ],
)
def test_estimators_stand_under_a_head(make: Callable) -> None:
    estimator = make(learn.multi_class_head(3, metric_class_ids=[1]))
    estimator.fit(input_fn=data(), steps=400)
    metrics = estimator.evaluate(input_fn=data(), steps=1)
    assert metrics["accuracy"] > 0.95 and metrics["global_step"] == 400
    assert metrics["labels/actual_label_mean/class1"] == pytest.approx(1 / 3)
    first, *others = estimator.predict(input_fn=data())
    assert (
        len(others) == 89
        and set(first) == {"logits", "probabilities", "classes"}
        and first["classes"] == 0
    )


def test_an_estimator_with_two_heads(tmp_path: Path) -> None:
    def both() -> Any:
        features, y = data()()
        return features, {"kind": y, "far": tf.cast(tf.equal(y, 1), tf.float32) * 4.0}

    kind = learn.multi_class_head(3, label_name="kind", head_name="kind")
    far = learn.regression_head(label_name="far", head_name="far")
    estimator = learn.DNNEstimator(learn.multi_head([kind, far]), [16], COLUMNS, str(tmp_path))
    estimator.fit(input_fn=both, steps=300)
    metrics = estimator.evaluate(
        input_fn=both,
        steps=1,
        metrics={"error": learn.MetricSpec(
            tf.contrib.metrics.streaming_mean_absolute_error, ("far", "scores"), "far"
        )},
    )  # fmt: skip
    assert metrics["accuracy/kind"] > 0.95
    assert metrics["loss"] == pytest.approx(metrics["loss/kind"] + metrics["loss/far"], rel=1e-4)
    assert metrics["error"] < 1
    found = next(iter(estimator.predict({"x": clusters()[0]})))
    assert found["kind", "classes"] == 0


def test_a_head_serves_estimators_of_tensorflow_too() -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        head = learn.multi_class_head(
            3, head_name="kind", loss_fn=tf.losses.sparse_softmax_cross_entropy
        )
        ops = head.create_model_fn_ops(
            features, mode, labels, lambda loss: layers.optimize_loss(loss, None, 0.1, "Adam"),
            logits_input=layers.fully_connected(features["x"], 8),
        )  # fmt: skip
        return ops.estimator_spec()

    estimator = tf.estimator.Estimator(model_fn).train(data(), steps=60)
    assert estimator.evaluate(data(), steps=1)["accuracy/kind"] > 0.95


@pytest.mark.parametrize("l2", [0.0, 3.0])
def test_a_support_vector_machine(l2: float) -> None:
    x, y = clusters(60)

    def input_fn() -> Any:
        ids = tf.as_string(tf.range(60))
        return {"x": tf.constant(x), "id": ids}, tf.constant((y == 1).astype(np.int32)[:, None])

    svm = learn.SVM("id", COLUMNS, l1_regularization=0.0, l2_regularization=l2)
    svm.fit(input_fn=input_fn, steps=200)
    metrics = svm.evaluate(input_fn=input_fn, steps=1)
    assert metrics["accuracy"] == 1
    assert list(svm.predict_classes({"x": x})) == list((y == 1).astype(int))
    # at the optimum no direction leads down: half the squares times l2 / n, and the mean hinge
    w = svm.get_variable_value("linear/linear_model/x/weights").ravel()
    b = float(svm.get_variable_value("linear/linear_model/bias_weights").ravel()[0])
    sign = np.where(y == 1, 1, -1)

    def objective(w: Any, b: float) -> float:
        hinge = np.maximum(0, 1 - sign * (x @ w + b)).mean()
        return hinge + max(l2, 1) / 60 * (w @ w + b * b) / 2

    least, rng = objective(w, b), np.random.default_rng(1)
    for _ in range(200):
        step = rng.normal(scale=0.2, size=3)
        assert objective(w + step[:2], b + step[2]) > least - 2e-4
    with pytest.raises(ValueError, match="Kernel SVMs are not currently supported."):
        learn.SVM("id", COLUMNS, kernels=["rbf"])


def test_a_column_is_as_wide_as_its_feature() -> None:
    """A program of the documentation's time, whose author wrote down what it printed."""

    def input_fn() -> Any:
        ids = tf.random_uniform([10], maxval=100, dtype=tf.int64)
        x = (ids[:, None] + tf.range(123, dtype=tf.int64)[None, :]) % 2
        return {"x": x, "id": tf.as_string(ids)}, tf.equal(x[:, 0], 1)

    columns = [layers.real_valued_column("x")]
    svm = learn.SVM("id", columns, l1_regularization=0.5, l2_regularization=0.1)
    svm.fit(input_fn=input_fn, steps=300)

    def one() -> Any:
        return {"x": tf.SparseTensor([[0, 0]], [1], [1, 123]), "id": ["a"]}

    found = next(svm.predict(input_fn=one))
    assert found["logits"] == pytest.approx([1 / 62], abs=1e-4)  # the weights of 62 of 123
    assert repr(found["classes"]) in ("1", "np.int64(1)")
    deep = learn.DNNRegressor([4], columns).fit(input_fn=input_fn, steps=1)
    assert deep.get_variable_value("dnn/hiddenlayer_0/kernel").shape == (123, 4)


def test_a_linear_head_is_trained_by_dual_ascent() -> None:
    x, _ = clusters(30)
    y = x @ np.float32([2.0, -1.0]) + 0.5

    def input_fn() -> Any:
        return {"x": tf.constant(x), "id": tf.as_string(tf.range(30))}, tf.constant(y)

    sdca = tf.contrib.linear_optimizer.SDCAOptimizer("id", symmetric_l2_regularization=0.01)
    estimator = learn.LinearEstimator(COLUMNS, learn.regression_head(), optimizer=sdca)
    assert estimator.fit(input_fn=input_fn, steps=60).evaluate(
        input_fn=input_fn, steps=1
    )["loss"] < 0.01  # fmt: skip


def test_a_logistic_regressor_has_the_metrics_of_two_classes() -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        logits = tf.squeeze(layers.linear(features, 1), [1])
        loss = train = None
        if mode != INFER:
            loss = tf.losses.sigmoid_cross_entropy(labels, logits)
            train = layers.optimize_loss(loss, None, 0.5, "SGD")
        return tf.sigmoid(logits), loss, train

    x, y = clusters()
    y = (y == 1).astype(np.int64)
    regressor = learn.LogisticRegressor(model_fn, thresholds=[0.5, 0.9])
    regressor.fit(x, y, steps=200)
    metrics = regressor.evaluate(x, y)
    scores = np.array(list(regressor.predict(x)))
    assert metrics["labels/actual_label_mean"] == pytest.approx(1 / 3)
    assert metrics["labels/prediction_mean"] == pytest.approx(scores.mean(), rel=1e-4)
    above = scores >= 0.9
    assert metrics["accuracy/threshold_0.900000_mean"] == pytest.approx(np.mean(above == y))
    assert metrics["recall/positive_threshold_0.900000_mean"] == pytest.approx(above[y > 0].mean())


def test_clusters_of_points() -> None:
    x, y = clusters()

    def input_fn() -> Any:
        return tf.constant(x), None

    kmeans = learn.KMeansClustering(3, initial_clusters=x[:3], use_mini_batch=False)
    kmeans.fit(input_fn=input_fn, steps=10)
    centers = kmeans.clusters()
    assert centers == pytest.approx(np.array([x[y == i].mean(0) for i in range(3)]), abs=1e-4)
    assert [int(each) for each in kmeans.predict_cluster_idx(input_fn)] == y.tolist()
    both = list(kmeans.predict(input_fn=lambda: x))  # a constant comes once
    assert len(both) == 90 and set(both[0]) == {"cluster_idx", "all_scores"}
    squares = ((x[:, None] - centers) ** 2).sum(-1)
    assert kmeans.transform(input_fn) == pytest.approx(squares, abs=1e-3)
    assert kmeans.score(input_fn, steps=1) == pytest.approx(squares.min(1).sum(), rel=1e-3)


def test_arguments_are_those_of_tensorflow() -> None:
    def arguments(function: Any) -> list[str]:
        return list(inspect.signature(function).parameters)

    common = ["label_name", "weight_column_name", "enable_centered_bias", "head_name"]
    assert arguments(learn.binary_svm_head) == [*common, "thresholds"]
    assert arguments(learn.multi_class_head) == [
        "n_classes", *common, "thresholds", "metric_class_ids", "loss_fn", "label_keys",
    ]  # fmt: skip
    assert arguments(learn.regression_head) == [
        *common[:2], "label_dimension", *common[2:], "link_fn",
    ]  # fmt: skip
    assert arguments(learn.Head.create_model_fn_ops)[1:] == [
        "features", "mode", "labels", "train_op_fn", "logits", "logits_input", "scope",
    ]  # fmt: skip


# ---- sequences ---------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["basic_rnn", "lstm", "gru"])
def test_a_value_for_a_sequence(cell: str, tmp_path: Path) -> None:
    x = np.random.default_rng(0).uniform(size=(32, 5, 1)).astype(np.float32)
    y = x[:, :, 0].mean(1)
    estimator = learn.DynamicRnnEstimator(
        learn.ProblemType.LINEAR_REGRESSION, learn.PredictionType.SINGLE_VALUE,
        [layers.real_valued_column("")], num_units=[6, 4], cell_type=cell, optimizer="Adam",
        learning_rate=0.02, model_dir=str(tmp_path),
    )  # fmt: skip
    estimator.fit(input_fn=lambda: ({"": tf.constant(x)}, tf.constant(y)), steps=200)
    found = list(estimator.predict(input_fn=lambda: {"": tf.constant(x)}))
    scores = np.array([each["scores"] for each in found])
    assert np.mean((scores - y) ** 2) < 0.3 * y.var()
    assert found[0]["rnn_cell_state_0"].shape == (6,)
    metrics = estimator.evaluate(input_fn=lambda: ({"": tf.constant(x)}, tf.constant(y)), steps=1)
    assert metrics["loss"] == pytest.approx(np.mean((scores - y) ** 2), rel=1e-4)


def test_a_class_for_each_step_of_words() -> None:
    words = np.array([["a", "b", "b", "a"], ["b", "a", "", ""]] * 8)
    classes = (words == "b").astype(np.int64)
    lengths = np.array([4, 2] * 8, np.int32)

    def input_fn() -> Any:
        places = np.argwhere(words != "")
        steps = tf.SparseTensor(places, words[words != ""], words.shape)
        context = tf.constant(np.ones([16, 1], np.float32))
        return {"word": steps, "c": context, "sequence_length": tf.constant(lengths)}, (
            tf.constant(classes)
        )

    column = layers.sparse_column_with_keys("word", ["a", "b"])
    estimator = learn.DynamicRnnEstimator(
        learn.ProblemType.CLASSIFICATION, learn.PredictionType.MULTIPLE_VALUE,
        [layers.embedding_column(column, 3)], [layers.real_valued_column("c")], num_classes=2,
        num_units=[8], predict_probabilities=True, learning_rate=0.5,
        dropout_keep_probabilities=[0.9, 0.9], config=learn.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    estimator.fit(input_fn=input_fn, steps=150)
    metrics = estimator.evaluate(input_fn=input_fn, steps=1)
    first, second, *_ = estimator.predict(input_fn=input_fn)
    assert metrics["accuracy"] == 1
    assert first["classes"].tolist() == classes[0].tolist()
    assert second["classes"][:2].tolist() == classes[1, :2].tolist()
    assert first["probabilities"].shape == (4, 2)
    assert first["probabilities"].sum(1) == pytest.approx(np.ones(4))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((1, 3), "prediction_type must be one of"),
        ((3, 1), "problem_type must be either"),
        ((1, 1), "num_classes must be specified."),
    ],
)
def test_what_a_network_of_sequences_does_not_know(given: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        learn.DynamicRnnEstimator(*given, [], num_units=[2])
