"""`python -m veille` is `veille`."""

from veille.interfaces.cli import main

main()
