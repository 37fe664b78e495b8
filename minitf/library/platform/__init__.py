"""What a program needs around its graph: the public names, flags. Uses `core/graph` alone."""
