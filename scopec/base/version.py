"""The version of scopec, which pyproject.toml takes from here."""

__version__ = "0.1.0"
