"""One or several steps over devices, threads and tasks."""
