"""What is done with whole clusters: faults, and what comes of them."""
