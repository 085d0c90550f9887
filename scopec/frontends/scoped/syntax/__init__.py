"""Readers: from the text of a file to a syntax tree."""
