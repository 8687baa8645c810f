"""The names of `zeromass.compile`: `zeromass.lazy.attach` reads them from here."""

from zeromass.compile.program import Program as Program
