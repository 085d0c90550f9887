"""PTX: its text to instructions, and what an instruction is.

- ``forms``: the tree
- ``syntax``: text to tree
- ``constants``: constant expressions
- ``table``: the instructions, as data
- ``barriers``: variables that are mbarriers
- ``names``: C++ names of functions
"""
