"""The syntax tree of CUDA C++ and of C, with the directives of a file.

- ``tree``, ``expression_tree``, ``walk``: the syntax tree, expressions in it, and its nodes
- ``build``: the parser's tree to the syntax tree
- ``literals``: values of literals
"""
