"""Java.

- ``jars``: the places of Java and of the engines' jars, which are fetched and verified
- ``processes``: one process for one question
- ``workers``, ``jvm``: virtual machines that live on
"""
