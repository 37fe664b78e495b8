"""Tools on whole graphs: freezing, Hessians, `map_fn` and its kin, timelines, physical devices."""
