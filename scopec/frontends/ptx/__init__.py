"""PTX: its text to instructions, and what an instruction is.

- ``forms``: the tree
- ``syntax``: text to tree
- ``constants``: constant expressions
- ``table``: what each instruction is, as data
- ``barriers``: which variables are mbarriers
- ``names``: what functions are called in C++
"""
