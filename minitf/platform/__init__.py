"""What a program needs around its graph: command-line flags, `app.run`, logging. Imports no other room."""
