"""`python -m sortes` is the command line."""

from sortes.interfaces.cli import main

if __name__ == "__main__":
    main()
