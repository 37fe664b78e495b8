"""What stands between Keras and the rest: the current session, names, the learning phase."""
