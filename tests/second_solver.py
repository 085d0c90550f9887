"""Answers of cvc5 to questions in SMT-LIB."""

from __future__ import annotations

import cvc5


def answer(text: str, seconds: int) -> str:
    """``sat``, ``unsat`` or ``unknown``."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(1000 * seconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols).strip() or said
    return said
