"""From the text of a litmus file to its tree.

- ``reader``: the whole file
- ``scan``: its parts
- ``c``, ``ptx``: its program
- ``tree``: the tree
"""
