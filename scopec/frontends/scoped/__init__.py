"""The reader of the scoped language.

- ``syntax``: text to tree
- ``lower``: tree to Program
- ``out_of_subset``: messages for a program that is in another language
"""
