"""JupyterLab's settings for `make lab` and `make formgrader`: this machine, nothing from a network.

These are the server's. Those of the page are in jupyter/, to which scripts/lab.py points Jupyter:
no news for anybody, and for students no nbgrader, should an instructor have installed it.
"""

import os

c = get_config()  # noqa: F821  (JupyterLab calls this file with it)

# The address, and what goes wrong: not the forty lines that a server says of itself at its start.
c.ServerApp.log_level = c.LabApp.log_level = "WARN"
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.root_dir = os.environ["MINITF_LESSONS"]
c.LabApp.default_url = "/lab/tree/00-first-light.ipynb"
# JupyterLab refuses to run for root, which is who one is in a container; a token still guards it.
c.ServerApp.allow_root = hasattr(os, "geteuid") and os.geteuid() == 0
# No question about news, no look for updates, no catalogue of extensions: all three call out.
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"
# A search for language servers that nobody installed fills the terminal with their names.
c.LanguageServerManager.autodetect = False
