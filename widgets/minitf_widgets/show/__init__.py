"""Objects that show themselves in a notebook: see registry.py."""

from minitf_widgets.show.registry import load_ipython_extension, unload_ipython_extension

__all__ = ["load_ipython_extension", "unload_ipython_extension"]
