"""From the parser's tree to the syntax tree of scoped CUDA."""

from __future__ import annotations

from scopec.frontends.scoped.syntax.build.declarations import Declarations
from scopec.frontends.scoped.syntax.build.statements import Statements


class Builder(Declarations, Statements):
    """Lark tree to syntax tree.  Method names are the grammar's rule names and aliases."""
