"""Modules that every layer uses.

- ``source``, ``files``, ``excerpt``: texts, positions in them, and how they are quoted
- ``diagnostics``: the catalogue of codes, and the exceptions that carry them
- ``visible``, ``hidden``: whose text may be shown, and what reports for others leave out
- ``records``, ``lazy_import``: ``dataclass`` and modules for a quick start
- ``version``: the version of scopec
- ``passes``: lists of passes, and running them
- ``graphs``: nodes that are reached, strongly connected components
- ``grammars``, ``tables``, ``lalr``, ``syntax``: parsers from grammars
- ``templates``, ``resources``: templates, and where they are
- ``options``: options, device attributes and bounds
- ``limits``, ``children``: time and memory of threads, and of child processes
- ``cache``, ``scratch``: files kept between calls, and folders of one call
"""
