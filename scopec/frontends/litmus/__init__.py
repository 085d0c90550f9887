"""The reader of litmus files.

- ``syntax``: text to tree
- ``lower``: tree to Program
"""
