"""Strings: encodings, hashes, patterns, printing, and the tables that number words."""
