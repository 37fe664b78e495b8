"""What the lessons draw with Matplotlib: their cells show what is taught, and no plotting."""
