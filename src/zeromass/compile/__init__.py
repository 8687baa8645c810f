"""From expressions to machine code."""
