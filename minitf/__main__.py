"""`python -m minitf program.py`: see `minitf/compat/tensorflow/runner.py`."""

from minitf.compat.tensorflow.runner import main

main()
