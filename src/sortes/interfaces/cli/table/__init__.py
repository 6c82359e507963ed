"""`sortes table`: make tables, sit at them, write in their logs, set things right, and take them in and out."""

from sortes.interfaces.cli.table import tables  # isort: skip  (the order is that of the help)
from sortes.interfaces.cli.table import people  # isort: skip
from sortes.interfaces.cli.table import plays  # isort: skip
from sortes.interfaces.cli.table import story  # isort: skip
from sortes.interfaces.cli.table import run  # isort: skip
from sortes.interfaces.cli.table import files  # isort: skip
from sortes.interfaces.cli.table.group import table

__all__ = ["files", "people", "plays", "run", "story", "table", "tables"]
