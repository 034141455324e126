"""The version of the package, which is that of the description of the interface."""

__version__ = "0.8.1"
