"""What a program needs around its graph: flags, `app.run`, versions. Uses `core/graph` alone."""
