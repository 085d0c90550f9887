"""Readers: from a file to the Program form, and from its directives to what it asks."""
