"""From the parser's tree to the syntax tree of scoped CUDA."""

from __future__ import annotations

from scopec.syntax.build.classes import Classes
from scopec.syntax.build.declarations import Declarations
from scopec.syntax.build.directives import Directives
from scopec.syntax.build.expressions import Expressions
from scopec.syntax.build.items import Items
from scopec.syntax.build.statements import Statements
from scopec.syntax.build.types import Types


class Builder(Items, Classes, Declarations, Types, Statements, Expressions, Directives):
    """Lark tree to syntax tree.  Method names are the grammar's rule names and aliases."""
