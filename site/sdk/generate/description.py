"""Reads the parts of the OpenAPI description that the library needs."""

import re
import textwrap
from typing import Any, Dict, List, NamedTuple, Optional

HEADER = '''"""{title}

Generated from version {version} of the API description; do not edit.
"""

from __future__ import annotations
'''


class Parameter(NamedTuple):
    name: str
    place: str  # path, query or header
    required: bool
    schema: Dict[str, Any]
    description: str
    joined: bool  # a comma-separated list

    @property
    def python(self) -> str:
        return snake(self.name)


class Operation:
    """One operation of the API."""

    def __init__(self, d: "Description", path: str, verb: str, raw: Dict[str, Any]) -> None:
        self.name = snake(raw["operationId"])
        self.path, self.verb = path, verb.upper()
        self.summary: str = raw["summary"].rstrip(".")
        self.description: str = raw.get("description", "")
        self.parameters = [d.parameter(p) for p in raw.get("parameters", [])]
        body = d.resolve(raw.get("requestBody", {})).get("content", {})
        self.body: Optional[str] = next((d.name(m["schema"]) for m in body.values()), None)
        self.errors = {int(s): d.resolve(r)["description"] for s, r in raw["responses"].items()}
        status = min(s for s in raw["responses"] if s.startswith("2"))
        success = d.resolve(raw["responses"][status])
        self.returns: str = success["description"]
        self.content: Dict[str, Dict[str, Any]] = {media: c["schema"] for media, c in success.get("content", {}).items()}

    def of(self, place: str) -> List[Parameter]:
        return [p for p in self.parameters if p.place == place]

    def parameter(self, name: str) -> Optional[Parameter]:
        return next((p for p in self.parameters if p.name == name), None)


class Description:
    """The complete description."""

    def __init__(self, raw: Dict[str, Any]) -> None:
        self.raw = raw
        self.version: str = raw["info"]["version"]
        self.schemas: Dict[str, Any] = raw["components"]["schemas"]
        methods = [(path, verb, o) for path, item in raw["paths"].items() for verb, o in item.items()]
        self.operations = [Operation(self, path, verb, o) for path, verb, o in methods if "operationId" in o]

    def resolve(self, node: Dict[str, Any]) -> Dict[str, Any]:
        while "$ref" in node:
            found: Any = self.raw
            for step in node["$ref"].split("/")[1:]:
                found = found[step]
            node = found
        return node

    def name(self, schema: Dict[str, Any]) -> Optional[str]:
        """Return the name of the schema that a reference points to, or None if it is not a reference."""
        return schema["$ref"].rsplit("/", 1)[-1] if "$ref" in schema else None

    def parameter(self, raw: Dict[str, Any]) -> Parameter:
        raw = self.resolve(raw)
        required, text, joined = raw.get("required", False), raw.get("description", ""), raw.get("explode") is False
        return Parameter(raw["name"], raw["in"], required, raw["schema"], text, joined)


def snake(name: str) -> str:
    """Convert a name from camelCase to snake_case."""
    return re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), name).replace("-", "_").lstrip("_")


def quoted(value: Any) -> str:
    return '"' + value + '"' if isinstance(value, str) else repr(value)


def prose(text: str) -> str:
    """Convert Markdown to the markup of docstrings."""
    text = re.sub(r"(?<![`:])`([^`]+)`(?!`)", r"``\1``", text.strip())
    return text.replace("\\", "\\\\").replace('"""', "'''")


def filled(text: str, indent: str, first: str = "", width: int = 100) -> str:
    """Rewrap paragraphs; ``first`` is put before the first word."""
    paragraphs = [first + re.sub(r"\s+", " ", p) for p in re.split(r"\n\s*\n", text.strip())]
    follow = indent + ("    " if first else "")
    wrapper = textwrap.TextWrapper(width, indent, follow, break_long_words=False, break_on_hyphens=False)
    return "\n\n".join(wrapper.fill(p) for p in paragraphs)


def packed(items: List[str], indent: str) -> str:
    """Return items on as few lines as possible, each whole."""
    return filled(" ".join(i.replace(" ", "\0") + "," for i in items), indent, width=110).replace("\0", " ")
