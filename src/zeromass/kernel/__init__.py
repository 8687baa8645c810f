"""A typed subset of Python for code that runs the same everywhere: as Python, machine code, WebAssembly and PTX."""
