"""PTX: its text to instructions, and what an instruction is; for inline assembly and litmus files."""
