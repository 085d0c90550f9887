"""Syntax of litmus files: text to tree."""
