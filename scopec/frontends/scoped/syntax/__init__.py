"""From the text of a file to its syntax tree.

- ``cuda``: the reader
- ``scan``: comments and directives
- ``type_names``: names of types, without which C++ is not parsed
- ``syntax_errors``: messages for a text that does not parse
"""
