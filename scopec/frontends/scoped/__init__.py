"""The reader of the scoped language.

- ``syntax``: text to tree
- ``lower``: tree to Program
- ``beyond``: what to say of a program that is in another language
"""
