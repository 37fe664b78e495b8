"""Tools on whole graphs: freezing, vectorizing, `map_fn` and others, timelines, devices."""
