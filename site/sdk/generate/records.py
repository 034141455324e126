"""Generates kindex.types: a TypedDict for each object of the API."""

import keyword
import re
from typing import Any, Dict, List, Optional, Tuple

from description import HEADER, Description, filled, packed, prose, quoted

# Names for the values of parameters that are not named schemas, by a value that only they have.
# A build can declare more of them.
ALIASES = {
    ("fields", "scores"): "EntityField",
    ("fields", "composite"): "ExportField",
    ("facets", ""): "FacetField",
    ("sort", "composite"): "SortField",
    ("sort", "blended"): "PriceSort",
    ("by", ""): "Dimension",
}


class Types:
    """Converts schemas to annotations."""

    def __init__(self, d: Description) -> None:
        self.d = d
        self.nested: List[Tuple[str, Dict[str, Any]]] = []  # objects without a name of their own
        self.enums = {literal(s["enum"]): n for n, s in d.schemas.items() if is_named(s) and "enum" in s}

    def annotation(self, schema: Dict[str, Any], where: str = "") -> str:
        """Return the annotation for a schema; ``where`` names the object if it is nested."""
        name = self.d.name(schema)
        if name is not None and not is_named(self.d.schemas[name]):
            return self.annotation(self.d.schemas[name], where)
        text = name or self.bare(schema, where)
        nullable = self.d.resolve(schema).get("nullable") and text != "Any" and not text.startswith("Optional[")
        return f"Optional[{text}]" if nullable else text

    def bare(self, schema: Dict[str, Any], where: str) -> str:
        if "anyOf" in schema:
            return self.union(schema["anyOf"], where)
        if "enum" in schema:
            return self.enums.get(literal(schema["enum"]), literal(schema["enum"]))
        kind = schema.get("type", "")
        if kind == "array":
            return f"List[{self.annotation(schema['items'], where)}]"
        if kind == "object" and "properties" in schema:
            self.nested.append((where, schema))
            return where
        simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Dict[str, Any]"}
        return simple.get(kind, "Any")

    def union(self, choices: List[Dict[str, Any]], where: str) -> str:
        names = [self.d.name(c) for c in choices]
        # The types do not show that `fields` leaves out members: callers know what they requested.
        choices = [c for c, n in zip(choices, names) if not (n and n.startswith("Narrowed") and n[len("Narrowed") :] in names)]
        texts = [self.annotation(c, where) for c in choices]
        bare = list(dict.fromkeys(re.sub(r"^Optional\[(.*)\]$", r"\1", t) for t in texts))
        text = bare[0] if len(bare) == 1 else f"Union[{', '.join(bare)}]"
        return f"Optional[{text}]" if any(t.startswith("Optional[") for t in texts) else text


def is_named(schema: Dict[str, Any]) -> bool:
    """Return whether a schema becomes a named type: an object or a string enum."""
    return "properties" in schema or "enum" in schema and schema.get("type") == "string"


def literal(values: List[Any]) -> str:
    return f"Literal[{', '.join(quoted(v) for v in values if v is not None)}]"


def alias_of(name: str, schema: Dict[str, Any]) -> Optional[str]:
    """Return the name for the values of a parameter, if they have one."""
    values = schema.get("items", schema).get("enum", [])
    fitting = (alias for (parameter, has), alias in ALIASES.items() if parameter == name and (not has or has in values))
    return next(fitting, None) if values else None


def module(d: Description) -> str:
    """Return the source of kindex.types."""
    w = Writer(d)
    aliases = {"EntityTypeOrName": "Union[EntityType, Name]"}
    for p in [p for o in d.operations for p in o.parameters]:
        alias = alias_of(p.name, p.schema)
        if alias is not None:
            aliases[alias] = f"Union[{literal(p.schema.get('items', p.schema)['enum'])}, Name]"
    for name, schema in d.schemas.items():
        if not is_named(schema) or name.startswith("Narrowed") and name[len("Narrowed") :] in d.schemas:
            continue
        if "enum" in schema:
            w.parts.append(alias_text(name, literal(schema["enum"]), schema.get("description", "")))
        else:
            w.add(name, schema)
    w.parts += [alias_text(n, text, "A value of a parameter.") for n, text in sorted(aliases.items())]
    head = HEADER.format(title="The objects of the API, for type checkers. At run time, they are dictionaries.", version=d.version)
    imports = "from typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n\nfrom ._addresses import Name"
    return "\n\n\n".join([f"{head}\n{imports}", *w.parts]) + "\n"


def alias_text(name: str, text: str, description: str) -> str:
    return filled(f"{name} = {text}", "", width=96).replace("\n", "\n    ") + f'\n"""{filled(prose(description), "").strip()}"""'


class Writer:
    """Writes the classes."""

    def __init__(self, d: Description) -> None:
        self.d, self.types = d, Types(d)
        self.parts: List[str] = []
        self.written: Dict[str, Dict[str, Any]] = {}
        self.answers = {d.name(s): o.returns for o in d.operations for s in o.content.values()}

    def add(self, name: str, schema: Dict[str, Any]) -> None:
        """Write a class, which inherits the members of the largest class that it includes."""
        members = {n: (s, n in schema.get("required", [])) for n, s in schema["properties"].items()}
        included = [n for n, has in self.written.items() if len(has) > 9 and all(members.get(m) == s for m, s in has.items())]
        base = max(included, key=lambda n: len(self.written[n]), default="TypedDict")
        own = {n: m for n, m in members.items() if n not in self.written.get(base, {})}
        self.written[name] = members
        must = {n: s for n, (s, required) in own.items() if required}
        may = {n: s for n, (s, required) in own.items() if not required}
        for group, kind, total in ((must, "Required", ""), (may, "Optional", ", total=False")):
            odd = {n: group.pop(n) for n in list(group) if not n.isidentifier() or keyword.iskeyword(n)}
            if odd:  # names that cannot be class attributes
                fields = packed([f'"{n}": {self.annotation(name, n, s)!r}' for n, s in odd.items()], "    ")
                self.parts.append(f'_{name}{kind}Odd = TypedDict("_{name}{kind}Odd", {{\n{fields}\n}}{total})')
                base = f"_{name}{kind}Odd"
        if must and may:
            self.parts.append(f"class _{name}Required({base}):" + self.members(name, must))
            base, must = f"_{name}Required", {}
        text = schema.get("description") or self.answers.get(name) or "A part of a response."
        doc = docstring(text) + ("\n" if must or may else "")
        self.parts.append(f"class {name}({base}{', total=False' if may else ''}):\n{doc}" + self.members(name, must or may))
        while self.types.nested:
            self.add(*self.types.nested.pop())

    def annotation(self, name: str, member: str, schema: Dict[str, Any]) -> str:
        words = re.findall(r"[A-Za-z0-9]+", member)
        return self.types.annotation(schema, name + "".join(w[0].upper() + w[1:] for w in words))

    def members(self, name: str, members: Dict[str, Any]) -> str:
        lines: List[str] = []
        for n, s in members.items():
            lines.append(f"    {n}: {self.annotation(name, n, s)}")
            target = self.d.resolve(s)
            text = s.get("description") or ("" if is_named(target) else target.get("description"))
            lines += [docstring(text)] if text and docstring(text) not in lines else []
        return "".join("\n" + line for line in lines)


def docstring(text: str) -> str:
    text = filled(prose(text), "    ").strip()
    return f'    """{text}"""' if "\n" not in text else f'    """{text}\n    """'
