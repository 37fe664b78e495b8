"""The namespace `tf.resource_loader`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.file_io: get_data_files_path get_path_to_datafile load_resource
    readahead_file_path
""",
)
