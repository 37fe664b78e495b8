"""Many numbers become one: a dot product in threads, and all-reduce between members."""
