"""LLVM IR: as clang writes it, and what is known of it before anything runs.

- ``code``: types, constants, instructions
- ``reader``, ``parser``, ``operand_parser``: from text
- ``debug``: places in the source, names and types; ``leaves``: the numbers in a type
- ``annotations``: the keywords of scopec's headers
- ``flow``: joins of a function, and which registers are read again
- ``stubs``: the functions that launch kernels
- ``numbers``, ``bits``: LLVM's arithmetic as values
"""
