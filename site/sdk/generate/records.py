"""Generates the types of responses: a TypedDict for each object of the API."""

import keyword
import re
from typing import Any, Dict, List, Optional, Set, Tuple

from description import HEADER, Description, prose, wrapped

# Names for the values of parameters that are not named schemas.
ALIASES = {
    ("fields", "scores"): "EntityField",
    ("fields", "composite"): "ExportField",
    ("facets", ""): "FacetField",
    ("sort", "composite"): "SortField",
    ("sort", "blended"): "PriceSort",
    ("by", ""): "Dimension",
}

# Docstrings for nested objects, which have no description.
TEXTS = {
    "JSONFeedItemAuthors": "The author of a change.",
    "ManifestCountsTypes": "The number of entities of each type.",
    "CreatedSubmissionSimilar": "An existing entity that could be the same.",
}


class Types:
    """Converts schemas to annotations, and collects the names that the annotations use."""

    def __init__(self, d: Description) -> None:
        self.d = d
        self.used: Set[str] = set()
        self.inner: List[Tuple[str, Dict[str, Any]]] = []

    def typing(self, name: str) -> str:
        self.used.add(name)
        return name

    def annotation(self, schema: Dict[str, Any], where: str) -> str:
        name = self.d.name(schema)
        if name is not None:
            target = self.d.schemas[name]
            if not is_named(target):
                return self.annotation(target, where)
            self.used.add(name)
            return self.optional(target, name)
        return self.optional(schema, self.bare(schema, where))

    def optional(self, schema: Dict[str, Any], text: str) -> str:
        if schema.get("nullable") and text != "Any" and not text.startswith("Optional["):
            return f"{self.typing('Optional')}[{text}]"
        return text

    def bare(self, schema: Dict[str, Any], where: str) -> str:
        if "anyOf" in schema:
            return self.union(schema["anyOf"], where)
        if "enum" in schema:
            return self.literal(schema["enum"])
        kind = schema.get("type")
        if kind == "array":
            return f"{self.typing('List')}[{self.annotation(schema['items'], where)}]"
        if kind == "object":
            if "properties" not in schema:
                return f"{self.typing('Dict')}[str, {self.typing('Any')}]"
            self.inner.append((where, schema))
            return where
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(kind or "") or self.typing("Any")

    def literal(self, values: List[Any]) -> str:
        return f"{self.typing('Literal')}[{', '.join(quoted(v) for v in values if v is not None)}]"

    def union(self, choices: List[Dict[str, Any]], where: str) -> str:
        names = [self.d.name(c) for c in choices]
        # The types do not show that `fields` leaves out members: callers know which ones
        # they requested.
        choices = [c for c, n in zip(choices, names) if not (n and n.startswith("Narrowed") and n[len("Narrowed") :] in names)]
        texts: List[str] = []
        null = False
        for c in choices:
            text = self.annotation(c, where)
            null = null or text.startswith("Optional[")
            text = text[len("Optional[") : -1] if text.startswith("Optional[") else text
            if text not in texts:
                texts.append(text)
        text = texts[0] if len(texts) == 1 else f"{self.typing('Union')}[{', '.join(texts)}]"
        return f"{self.typing('Optional')}[{text}]" if null else text


def is_named(schema: Dict[str, Any]) -> bool:
    """Return whether a schema becomes a named type: an object or a string enum."""
    return "properties" in schema or "enum" in schema and schema.get("type") == "string"


def quoted(value: Any) -> str:
    return '"' + value + '"' if isinstance(value, str) else repr(value)


def modules(d: Description) -> Dict[str, str]:
    """Return the modules of kindex.types, by file name."""
    out: Dict[str, str] = {}
    homes: Dict[str, str] = {}
    for tag in d.tags:
        roots = [n for o in d.operations if o.tag == tag for n in roots_of(d, o)]
        roots += {"Webhooks": ["WebhookEvent"], "Service": ["Problem"]}.get(tag, [])
        names = [n for n in reachable(d, roots) if n not in homes and not narrowed(d, n)]
        module = "_" + tag.lower()
        text, made = module_text(d, tag, names, homes)
        if made:
            homes.update(dict.fromkeys(made, module))
            out[f"types/{module}.py"] = text
    aliases = parameter_aliases(d)
    homes.update(dict.fromkeys([n for n, _ in aliases], "_parameters"))
    out["types/_parameters.py"] = (
        HEADER.format(title="The values of parameters.", version=d.version)
        + "\nfrom typing import Literal\n\n"
        + "\n\n".join(alias_text(n, f"Literal[{', '.join(quoted(v) for v in values)}]") for n, values in aliases)
        + "\n"
    )
    out["types/__init__.py"] = package_text(d, homes)
    return out


def narrowed(d: Description, name: str) -> bool:
    return name.startswith("Narrowed") and name[len("Narrowed") :] in d.schemas


def roots_of(d: Description, o: Any) -> List[str]:
    """Return the names of the schemas in the parameters, body and JSON response of an operation."""
    _, content = o.success()
    nodes = [m["schema"] for media, m in content.items() if "json" in media]
    nodes += [p.schema for p in o.parameters]
    return [n for node in nodes for n in d.references(node)] + ([o.body] if o.body and o.body != "ApiKeyToRevoke" else [])


def reachable(d: Description, roots: List[str]) -> List[str]:
    seen: Dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in seen:
            seen[name] = None
            for n in d.references(d.schemas[name]):
                visit(n)

    for r in roots:
        visit(r)
    return [n for n in d.schemas if n in seen and is_named(d.schemas[n])]


def module_text(d: Description, tag: str, names: List[str], homes: Dict[str, str]) -> Tuple[str, List[str]]:
    types = Types(d)
    aliases, classes, made = [], [], []
    for name in names:
        schema = d.schemas[name]
        made.append(name)
        if "enum" in schema:
            aliases.append(alias_text(name, types.literal(schema["enum"]), schema.get("description")))
            continue
        text = class_text(types, name, schema)
        while types.inner:  # nested objects precede the class that uses them
            inner, schema = types.inner.pop(0)
            if inner not in made:
                made.append(inner)
                classes.append(class_text(types, inner, schema))
        classes.append(text)
    imports: Dict[str, List[str]] = {}
    for name in sorted(types.used - set(made)):
        home = homes.get(name)
        imports.setdefault("." + home if home else "typing", []).append(name)
    imports["typing"] = sorted([*imports.get("typing", []), *(["TypedDict"] if classes else [])])
    head = HEADER.format(title=f"{tag}: {d.tag_texts[tag]}", version=d.version)
    lines = [imported(m, imports[m]) for m in sorted(imports, key=lambda m: (m.startswith("."), m)) if imports[m]]
    parts = lines[:1] + ([""] + lines[1:] if lines[1:] else [])
    body = "\n\n".join(aliases) + ("\n\n\n" if aliases and classes else "") + "\n\n\n".join(classes)
    return head + "\n" + "\n".join(parts) + "\n\n" + ("" if aliases else "\n") + body + "\n", made


def imported(module: str, names: List[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 110:
        return line
    return f"from {module} import (\n" + "".join(f"    {n},\n" for n in names) + ")"


def alias_text(name: str, text: str, description: Optional[str] = None) -> str:
    line = f"{name} = {text}"
    if len(line) > 110:
        values = text[len("Literal[") : -1].split(", ")
        line = f"{name} = Literal[\n" + "".join(f"    {v},\n" for v in values) + "]"
    return line + (f'\n"""{wrapped(prose(description), "").strip()}"""' if description else "")


def class_text(types: Types, name: str, schema: Dict[str, Any]) -> str:
    required = schema.get("required", [])
    members = schema["properties"]
    must = {n: s for n, s in members.items() if n in required}
    may = {n: s for n, s in members.items() if n not in required}
    doc = docstring(schema.get("description") or TEXTS.get(name) or answers(types.d)[name])
    before, bases = "", []
    for members_of, kind, total in ((must, "Required", ""), (may, "Optional", ", total=False")):
        odd = {n: members_of.pop(n) for n in list(members_of) if not n.isidentifier() or keyword.iskeyword(n)}
        if odd:  # names that cannot be class attributes
            base = f"_{name}{kind}Odd"
            fields = "".join(f'        "{n}": {types.annotation(s, inner_name(name, n))!r},\n' for n, s in odd.items())
            before += f'{base} = TypedDict(\n    "{base}",\n    {{\n{fields}    }}{total},\n)\n\n\n'
            bases.append(base)
    if must and may or must and bases:
        before += f"class _{name}Required(TypedDict):\n{members_text(types, name, must)}\n\n\n"
        bases.append(f"_{name}Required")
        must = {}
    total = "" if must else ", total=False"
    return f"{before}class {name}({', '.join(bases) or 'TypedDict'}{total}):\n{doc}{gap(members_text(types, name, must or may))}"


def inner_name(name: str, member: str) -> str:
    """Return a name for a nested object."""
    words = re.findall(r"[A-Za-z0-9]+", member)
    return name + "".join(w[0].upper() + w[1:] for w in words)


def answers(d: Description) -> Dict[str, str]:
    """Return the descriptions of successful responses, by the name of the schema."""
    out: Dict[str, str] = {}
    for o in d.operations:
        status, content = o.success()
        for media in content.values():
            out.setdefault(d.name(media["schema"]) or "", o.responses[status]["description"])
    return out


def gap(members: str) -> str:
    return "\n\n" + members if members else ""


def docstring(text: str) -> str:
    return '    """' + wrapped(prose(text), "    ").strip() + ('\n    """' if len(text) > 80 else '"""')


def members_text(types: Types, name: str, members: Dict[str, Any]) -> str:
    lines = []
    for n, s in members.items():
        lines.append(f"    {n}: {types.annotation(s, inner_name(name, n))}")
        text = s.get("description") or types.d.resolve(s).get("description")
        if text:
            lines.append(docstring(text))
    return "\n".join(lines)


def parameter_aliases(d: Description) -> List[Tuple[str, List[str]]]:
    out: Dict[str, List[str]] = {}
    for o in d.operations:
        for p in o.parameters:
            found = alias_of(p.name, p.schema)
            if found is not None:
                out[found[0]] = found[1]
    return sorted(out.items())


def alias_of(name: str, schema: Dict[str, Any]) -> Optional[Tuple[str, List[str]]]:
    """Return the type alias for the values of a parameter, and the values."""
    values = schema.get("items", schema).get("enum")
    for (parameter, has), alias in ALIASES.items():
        if values and parameter == name and (not has or has in values):
            return alias, values
    return None


def package_text(d: Description, homes: Dict[str, str]) -> str:
    head = HEADER.format(
        title="The objects of the API, for type checkers. At run time, they are dictionaries.", version=d.version
    )
    lines = []
    for module in sorted(set(homes.values())):
        lines.append(imported("." + module, sorted(n for n, m in homes.items() if m == module)))
    names = "".join(f'    "{n}",\n' for n in sorted(homes))
    return head + "\n" + "\n".join(lines) + f"\n\n__all__ = [\n{names}]\n"
