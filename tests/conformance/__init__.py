"""Asks real TensorFlow: the same programs in both libraries, results compared.

    cases/*.py --> case.py --+--> runner.py inside TensorFlow (a subprocess, oracle.py) --+
                             +--> runner.py inside minitf (this process) -----------------+--> compare.py

`python -m tests.conformance [words]` prints the differences of every case whose name holds one of the words.
"""
