"""Asks real TensorFlow: the same programs in both libraries, results compared.

    cases/*.py --> case.py --+--> runner.py in TensorFlow (a subprocess, oracle.py) --+
                             +--> runner.py in minitf (this process) -----------------+--> compare.py

`python -m tests.conformance [words]` prints the differences of the cases whose names hold one of
the words.
"""
