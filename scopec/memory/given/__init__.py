"""The sets and relations that every execution gives to a model.

- ``relations``, ``sets``: each once, with the sentence that it encodes
- ``forms``: their forms
- ``evaluated``: them on one execution
- ``ptx``: C++ as PTX instructions, for models of PTX
"""
