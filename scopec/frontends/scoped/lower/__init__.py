"""From the syntax tree to the Program form."""
