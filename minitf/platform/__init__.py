"""What a program needs around its graph: flags, `app.run`, logging. Imports no other room."""
