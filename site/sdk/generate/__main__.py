"""Builds the Python library: its sources, and what follows from the OpenAPI description.

    python3 site/sdk/generate DESCRIPTION.json FOLDER

DESCRIPTION.json is the response to GET /api/openapi. The program copies site/sdk/python to FOLDER, and adds
the types of responses, both clients, and PKG-INFO.
"""

import json
import pathlib
import shutil
import sys
import tomllib

import methods
import records
from description import Description

HERE = pathlib.Path(__file__).parent.parent / "python"


def main(description: str, out: str) -> None:
    d = Description(json.loads(pathlib.Path(description).read_text(encoding="utf-8")))
    shutil.copytree(HERE, out, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    source = pathlib.Path(out, "src", "kindex")
    (source / "_version.py").write_text(f'__version__ = "{d.version}"\n', encoding="utf-8")
    (source / "types.py").write_text(records.module(d), encoding="utf-8")
    (source / "_client.py").write_text(methods.module(d, False), encoding="utf-8")
    (source / "_async_client.py").write_text(methods.module(d, True), encoding="utf-8")
    pathlib.Path(out, "PKG-INFO").write_text(metadata(d.version), encoding="utf-8")


def metadata(version: str) -> str:
    """Return the core metadata of the package, whose version must be that of the description."""
    p = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if p["version"] != version:
        raise SystemExit(f"pyproject.toml has the version {p['version']}, but the description has {version}")
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
    return "".join(f"{n}: {v}\n" for n, v in fields) + "\n" + (HERE / p["readme"]).read_text(encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
