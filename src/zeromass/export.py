"""Formulas and programs for other tools: C, LaTeX, SymPy, WebAssembly."""

from zeromass.codegen.target import Target as Target
from zeromass.codegen.target import host as host
from zeromass.expression.c import c_code as c_code
from zeromass.expression.to_sympy import sympy as sympy
from zeromass.expression.typeset import latex as latex
from zeromass.integrate.wasm import wasm as wasm
