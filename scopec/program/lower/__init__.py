"""From the syntax tree to the Program form."""

from scopec.program.lower.program import lower

__all__ = ["lower"]
