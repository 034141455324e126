"""Generates the parts of the Python library that follow from the OpenAPI description.

    python3 site/sdk/generate DESCRIPTION.json site/sdk/python

DESCRIPTION.json is the response to GET /api/openapi. The program writes the types of
responses, the methods of both clients, and PKG-INFO. A test runs it and compares the result
with the committed files; with -update, the test updates them.
"""

import json
import pathlib
import sys

import methods
import package
import records
from description import Description


def main(description: str, out: str) -> None:
    with open(description, encoding="utf-8") as f:
        d = Description(json.load(f))
    source = pathlib.Path(out, "src", "kindex")
    files = {**records.modules(d), **methods.modules(d)}
    for folder in ("types", "_sync", "_async"):
        for old in source.glob(folder + "/*.py"):
            if f"{folder}/{old.name}" not in files:
                old.unlink()
    for name, text in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    pathlib.Path(out, "PKG-INFO").write_text(package.metadata(out, d.version), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
