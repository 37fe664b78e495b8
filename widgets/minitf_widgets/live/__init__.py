"""What moves while it is looked at: training as it runs, descent, tensors, scaling."""
