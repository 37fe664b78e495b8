"""The namespace `tf.resource_loader`: names only."""

from minitf.framework.file_io import (
    get_data_files_path,
    get_path_to_datafile,
    load_resource,
    readahead_file_path,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
