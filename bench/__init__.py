"""How fast Sortes is, next to the libraries that can do some of the same work. Run as `python -m bench`."""
