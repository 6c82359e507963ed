"""The command line: what people type becomes a rule's parameters, and a walk's answer becomes lines or JSON."""

from sortes.interfaces.cli.commands import main

__all__ = ["main"]
