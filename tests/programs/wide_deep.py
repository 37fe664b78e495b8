"""Who earns much? A wide and deep classifier reads a table of text, and is exported."""

from __future__ import print_function

import random

import tensorflow as tf

COLUMNS = ["age", "work", "years", "earns"]
random.seed(1)
with tf.gfile.Open("people.csv", "w") as table:
    for _ in range(600):
        age, years = random.randint(17, 80), random.randint(1, 16)
        work = random.choice(["Sales", "Craft", "Tech"])
        much = age + 3 * years + 10 * (work == "Tech") > 75
        table.write("%d,%s,%d,%s\n" % (age, work, years, ">50K" if much else "<=50K"))


def input_fn(epochs, shuffle):
    def parse(line):
        features = dict(zip(COLUMNS, tf.decode_csv(line, [[0], [""], [0], [""]])))
        return features, tf.equal(features.pop("earns"), ">50K")

    rows = tf.data.TextLineDataset("people.csv")
    if shuffle:
        rows = rows.shuffle(600)
    return rows.map(parse, num_parallel_calls=2).repeat(epochs).batch(40)


age = tf.feature_column.numeric_column("age", normalizer_fn=lambda x: (x - 48) / 18)
years = tf.feature_column.numeric_column("years", normalizer_fn=lambda x: (x - 8) / 5)
old = tf.feature_column.numeric_column("age")
ages = tf.feature_column.bucketized_column(old, [25, 35, 45, 55, 65])
work = tf.feature_column.categorical_column_with_hash_bucket("work", 100)
wide = [ages, work, tf.feature_column.crossed_column([ages, "work"], 200)]
deep = [age, years, tf.feature_column.embedding_column(work, 4)]
model = tf.estimator.DNNLinearCombinedClassifier(
    model_dir="model",
    linear_feature_columns=wide,
    dnn_feature_columns=deep,
    dnn_hidden_units=[16, 8],
    config=tf.estimator.RunConfig(tf_random_seed=1),
)
model.train(lambda: input_fn(20, True))
results = model.evaluate(lambda: input_fn(1, False))
for key in sorted(results):
    print("%s: %s" % (key, results[key]))
specification = tf.feature_column.make_parse_example_spec(wide + deep)
receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(specification)
print("exported:", tf.saved_model.contains_saved_model(model.export_savedmodel("out", receiver)))
print("Accuracy:", results["accuracy"])
