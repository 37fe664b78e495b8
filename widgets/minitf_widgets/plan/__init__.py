"""What a session makes of a graph: its programs, pass by pass, and other placements tried."""
