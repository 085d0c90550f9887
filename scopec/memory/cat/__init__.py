"""Memory models as data: the cat language.

- ``registry``: the models that there are
- ``read``, ``tree``: text to tree
- ``build``, ``resolve``, ``recursion``, ``orders``: statements, expressions, ``let rec`` and ``with`` to a model
- ``model``: a model
- ``evaluate``: its meaning on one execution
- ``derive``: the steps by which it relates two events there
- ``permitted``, ``monotone``: reductions that hold for a model
- ``one_event``: models in which a read-modify-write is one event
"""
