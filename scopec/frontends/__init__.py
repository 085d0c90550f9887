"""Readers: from a file to the Program form, and from its directives to its questions.

- ``clang``: C++ and PTX files as clang reads them
- ``scoped``: the scoped language
- ``litmus``: litmus files
- ``c``: the syntax tree of C and C++, and what the scoped language and litmus files in C have in common
- ``ptx``: instructions of PTX
- ``code``: code that is being lowered
- ``directives``, ``formulas``, ``targets``, ``storage``: directives, and what they name
- ``parse``: a part of a file by its grammar
- ``launches``, ``dependent_launches``, ``named_barriers``: checks of launches and barriers
"""
