"""The version of the package, which is the same as that of the API description."""

__version__ = "0.15.0"
