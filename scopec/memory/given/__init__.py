"""The sets and relations that every execution gives to a model.

- ``relations``, ``sets``: each once, with the sentence that it encodes
- ``forms``: what they are made of
- ``evaluated``: them on one execution
- ``ptx``: what C++ is compiled to, for models of PTX
"""
