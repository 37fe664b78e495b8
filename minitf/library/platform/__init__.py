"""What a program needs around its graph: flags, `app.run`, versions. Imports no other room."""
