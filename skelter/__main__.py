"""Run the command line with ``python -m skelter``."""

from skelter.cli.app import main

main()
