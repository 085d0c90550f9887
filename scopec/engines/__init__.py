"""Engines: what each of them is (:mod:`scopec.engines.protocol`), and which there are (:mod:`scopec.engines.table`)."""
