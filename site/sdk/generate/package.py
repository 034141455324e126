"""Generates PKG-INFO, the core metadata of the package, from pyproject.toml and the README."""

import pathlib
import tomllib


def metadata(folder: str, version: str) -> str:
    """Return the metadata; the version must be the same as that of the description."""
    with open(pathlib.Path(folder, "pyproject.toml"), "rb") as f:
        p = tomllib.load(f)["project"]
    if p["version"] != version:
        raise SystemExit(f"pyproject.toml has the version {p['version']}, but the description has {version}")
    readme = pathlib.Path(folder, p["readme"]).read_text(encoding="utf-8")
    fields = [
        ("Metadata-Version", "2.1"),
        ("Name", p["name"]),
        ("Version", p["version"]),
        ("Summary", p["description"]),
        ("License", p["license"]["text"]),
        ("Keywords", ",".join(p["keywords"])),
        *(("Classifier", c) for c in p["classifiers"]),
        ("Requires-Python", p["requires-python"]),
        ("Description-Content-Type", "text/markdown; charset=UTF-8"),
    ]
    return "".join(f"{n}: {v}\n" for n, v in fields) + "\n" + readme
