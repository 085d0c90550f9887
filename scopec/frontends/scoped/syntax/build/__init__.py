"""From the parser's tree to the syntax tree of scoped CUDA."""

from __future__ import annotations

from scopec.frontends.scoped.syntax.build.classes import Classes
from scopec.frontends.scoped.syntax.build.declarations import Declarations
from scopec.frontends.scoped.syntax.build.directives import Directives
from scopec.frontends.scoped.syntax.build.expressions import Expressions
from scopec.frontends.scoped.syntax.build.items import Items
from scopec.frontends.scoped.syntax.build.statements import Statements
from scopec.frontends.scoped.syntax.build.types import Types


class Builder(Items, Classes, Declarations, Types, Statements, Expressions, Directives):
    """Lark tree to syntax tree.  Method names are the grammar's rule names and aliases."""
