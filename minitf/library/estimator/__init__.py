"""`tf.estimator`: a model as one object that trains, evaluates, predicts and is exported.

    input_fn ──> features, labels ──> model_fn ──> EstimatorSpec          spec.py
                                                        |
    Estimator.train / evaluate / predict / export  <────┘                 estimator.py
        |              |
    RunConfig      train_and_evaluate: here, or as one task of a cluster  run_config.py, training.py

Heads (heads.py) turn logits and labels into an EstimatorSpec; the premade estimators (premade.py)
put a model of feature columns under a head.
"""
