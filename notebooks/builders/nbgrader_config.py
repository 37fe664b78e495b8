"""nbgrader's settings for the builder's track: those of the exercise sheets."""

load_subconfig("nbgrader_config.py", path="../exercises")  # noqa: F821
