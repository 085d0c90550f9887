"""Lowering of litmus files: tree to Program."""
