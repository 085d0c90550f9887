"""From the text of a file to its syntax tree.

- ``cuda``: the reader
- ``scan``: comments and directives
- ``type_names``: names of types, without which C++ is not parsed
- ``build``: the parser's tree to the syntax tree
- ``tree``, ``expression_tree``, ``walk``: the syntax tree, expressions in it, and its nodes
- ``literals``: values of literals
- ``syntax_errors``: what to say of a text that does not parse
"""
