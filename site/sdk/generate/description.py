"""Reads the parts of the OpenAPI description that the library needs."""

import re
import textwrap
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

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
        self.id: str = raw["operationId"]
        self.path, self.verb = path, verb.upper()
        self.tag: str = raw["tags"][0]
        self.summary: str = raw["summary"].rstrip(".")
        self.description: str = raw.get("description", "")
        self.parameters = [_parameter(d.resolve(p)) for p in raw.get("parameters", [])]
        body = d.resolve(raw.get("requestBody", {}))
        self.body: Optional[str] = None
        for media in body.get("content", {}).values():
            self.body = d.name(media["schema"])
        self.responses = {int(s): d.resolve(r) for s, r in raw["responses"].items()}

    def of(self, place: str) -> List[Parameter]:
        return [p for p in self.parameters if p.place == place]

    def takes(self, name: str) -> bool:
        return any(p.name == name for p in self.parameters)

    def success(self) -> Tuple[int, Dict[str, Any]]:
        """Return the status and the media types of the successful response."""
        status = min(s for s in self.responses if 200 <= s < 300)
        return status, self.responses[status].get("content", {})


class Description:
    """The complete description."""

    def __init__(self, raw: Dict[str, Any]) -> None:
        self.raw = raw
        self.version: str = raw["info"]["version"]
        self.schemas: Dict[str, Any] = raw["components"]["schemas"]
        self.tags: List[str] = [t["name"] for t in raw["tags"]]
        self.tag_texts: Dict[str, str] = {t["name"]: t["description"] for t in raw["tags"]}
        self.operations = [
            Operation(self, path, verb, o)
            for path, item in raw["paths"].items()
            for verb, o in item.items()
            if isinstance(o, dict) and "operationId" in o
        ]

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

    def references(self, node: Any) -> Iterator[str]:
        """Yield the names of the schemas that a node refers to directly."""
        if isinstance(node, dict):
            if "$ref" in node and node["$ref"].startswith("#/components/schemas/"):
                yield node["$ref"].rsplit("/", 1)[-1]
            for key, value in node.items():
                if key not in ("example", "examples"):
                    yield from self.references(value)
        elif isinstance(node, list):
            for value in node:
                yield from self.references(value)


def _parameter(raw: Dict[str, Any]) -> Parameter:
    array = raw["schema"].get("type") == "array"
    joined = array and raw.get("explode") is False
    return Parameter(raw["name"], raw["in"], raw.get("required", False), raw["schema"], raw.get("description", ""), joined)


def snake(name: str) -> str:
    """Convert a name from camelCase to snake_case."""
    return re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), name).replace("-", "_").lower().lstrip("_")


def prose(text: str) -> str:
    """Convert Markdown to the markup of docstrings."""
    text = re.sub(r"(?<![`:])`([^`]+)`(?!`)", r"``\1``", text.strip())
    return text.replace("\\", "\\\\").replace('"""', "'''")


def wrapped(text: str, indent: str, first: str = "", width: int = 92) -> str:
    """Rewrap paragraphs; ``first`` is put before the first word."""
    paragraphs = [" ".join(p.split()) for p in re.split(r"\n\s*\n", text.strip())]
    out = []
    for n, p in enumerate(paragraphs):
        begin = indent + (first if n == 0 else "")
        follow = indent + ("    " if first else "")
        out.append(textwrap.fill(p, width, initial_indent=begin, subsequent_indent=follow, break_long_words=False, break_on_hyphens=False))
    return "\n\n".join(out)
