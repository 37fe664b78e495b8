"""Premade estimators drawn at random: columns, optimizers, losses; trained, evaluated, asked.

They begin with the numbers that `premade` gives to the names of their variables.
"""

import textwrap

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw
from tests.conformance.cases.premade import START

COUNT = 2

COLUMNS = ("num", "vec", "buckets", "cat", "F.crossed_column(['job', buckets], 7)",
           "F.categorical_column_with_hash_bucket('job', 5)", "F.weighted_categorical_column(cat, 'w')",
           "F.numeric_column('pair', shape=2, normalizer_fn=lambda v: v * 0.5)")  # fmt: skip
OPTIMIZERS = ("'Adagrad'", "'Adam'", "'Ftrl'", "'RMSProp'", "'SGD'", "tf.train.AdamOptimizer(0.05)",
              "tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)",
              "lambda: tf.train.MomentumOptimizer(0.02, 0.9)", "tf.train.ProximalAdagradOptimizer(0.1)")  # fmt: skip
ACTIVATIONS = "tf.nn.relu tf.nn.tanh tf.nn.sigmoid tf.nn.elu None"


def _columns(d: Draw) -> tuple[str, str]:
    """Columns for a linear model, and the same for a network."""
    some = [COLUMNS[i] for i in d.order(len(COLUMNS))[: d.number(1, 3)]]
    dense = []
    for column in some:
        sparse = "cat" in column or "crossed" in column
        wrapped = d.one(
            [
                f"F.indicator_column({column})",
                f"F.embedding_column({column}, 2, combiner='{d.one('mean sum sqrtn')}', initializer=tf.constant_initializer(0.3))",
            ]
        )
        dense.append(wrapped if sparse else column)
    return f"[{', '.join(some)}]", f"[{', '.join(dense)}]"


def _program(d: Draw) -> str:
    linear, dense = _columns(d)
    kind, model = d.one("Classifier Regressor"), d.one("Linear DNN DNNLinearCombined")
    more, y = "", "number / 5"
    if kind == "Classifier":
        many = d.chance(0.4)
        y = "three" if many else "two"
        more += ", n_classes=3" if many else ""
        if d.chance(0.25):
            names = "['a', 'b', 'c']" if many else "['n', 'y']"
            more, y = f"{more}, label_vocabulary={names}", f"np.array({names})[{y}]"
    elif d.chance(0.3):
        more, y = ", label_dimension=2", "np.stack([number, age], 1) / 5"
    if d.chance(0.4):
        more += ", weight_column='w'"
    if d.chance(0.4):
        more += f", loss_reduction=tf.losses.Reduction.{d.one('SUM MEAN SUM_OVER_BATCH_SIZE SUM_OVER_NONZERO_WEIGHTS')}"
    units, activation = [d.number(2, 4) for _ in range(d.number(1, 2))], d.one(ACTIVATIONS)
    norm = d.one("False False True")
    if model == "Linear":
        made = f"({linear}, d, optimizer={d.one(OPTIMIZERS)}, sparse_combiner='{d.one('sum mean sqrtn')}'{more})"
    elif model == "DNN":
        made = f"({units}, {dense}, d, optimizer={d.one(OPTIMIZERS)}, activation_fn={activation}, batch_norm={norm}{more})"
    else:
        made = (
            f"(d, {linear}, {d.one(OPTIMIZERS)}, {dense}, {d.one(OPTIMIZERS)}, {units}, "
            f"dnn_activation_fn={activation}, batch_norm={norm}{more})"
        )
    return f"use(E.{model}{kind}{made}, {y}, {d.number(3, 8)})"


def draw(name: str, seed: int) -> Case:
    """The program of one seed; what is refused is shown, too."""
    text = _program(Draw(f"estimator {seed}"))
    start = textwrap.dedent(START).strip("\n")
    source = f"{start}\ntry:\n    {text}\nexcept Exception as error:\n    show(error=error)\n"
    return Case(f"drawn_estimators/{name} {seed}", source, rtol=5e-4)


CASES = [draw("premade", seed) for seed in range(COUNT)]
