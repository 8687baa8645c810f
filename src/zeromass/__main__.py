"""`python -m zeromass`."""

from zeromass.cli import main

main()
