"""From the syntax tree to the Program form.

- ``program``: a whole file
- ``context``: a program and a thread that are being lowered
- ``statements``, ``locals``: bodies and local declarations
- ``expressions``, ``operands``, ``operators``, ``lvalues``: expressions, what they denote, and ways to objects
- ``objects``: objects of declarations
- ``calls``, ``atomics``, ``arguments``: the libraries
- ``launches``: kernel launches
- ``names``, ``cpp_types``, ``resolve``: names of the libraries and their types
"""
