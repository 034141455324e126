"""Generates the methods of both clients: one for every operation, and some variants."""

import re
from typing import Dict, List, NamedTuple, Optional, Set

import records
from description import HEADER, Description, Operation, Parameter, prose, snake, wrapped

# Methods that iterate over the records of all pages, by the operation that returns one page.
ITERATORS = {
    "listEntities": "iter_entities",
    "listEntityChanges": "iter_entity_changes",
    "searchEntities": "iter_search",
    "getLeaderboard": "iter_leaderboard",
    "listChanges": "iter_changes",
    "listSubmissions": "iter_submissions",
    "listDeliveries": "iter_deliveries",
    "listAuditLog": "iter_audit_log",
}
# Exports: the suffix of their methods, and the type of their records.
EXPORTS = {
    "exportEntities": ("entities", "ExportedEntity"),
    "exportLeaderboard": ("leaderboard", "ExportedRank"),
    "exportChangelog": ("changelog", "Change"),
}
TEXTS = {"getBadge": "image/svg+xml"}
# The fields of most bodies become parameters; these bodies become a single parameter.
WHOLE_BODIES = {"SubmissionBody": "entity"}
# Statuses that any operation can return, or that no method can trigger.
ALWAYS = {405, 412, 413, 415, 416, 429, 500, 503}
CLASSES = {400: "BadRequestError", 401: "UnauthorizedError", 403: "ForbiddenError", 404: "NotFoundError",
           409: "ConflictError", 410: "GoneError", 422: "BadRequestError"}
CLASSES_OF_TAGS = {"Badges": "Service", "Clients": "Service"}


class Argument(NamedTuple):
    name: str
    annotation: str
    default: Optional[str]  # None if it is required
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.annotation}" + ("" if self.default is None else f" = {self.default}")


class Method(NamedTuple):
    name: str
    first: List[Argument]  # positional or keyword arguments
    named: List[Argument]  # keyword-only arguments
    returns: str  # in the blocking client
    returns_text: str
    body: str  # an expression without "self." and "await"
    waits: bool  # whether the asynchronous method is a coroutine
    doc: str
    errors: List[str]
    overloads: List[List[str]]  # for the parameter format: annotation, default, result


class Writer:
    """Writes the methods of one group of operations."""

    def __init__(self, d: Description) -> None:
        self.d = d
        self.types = records.Types(d)
        self.extra: Set[str] = set()  # names that the package itself defines

    def own(self, name: str) -> str:
        self.extra.add(name)
        return name

    def argument(self, p: Parameter) -> Argument:
        text = self.value(p)
        if p.required:
            return Argument(p.python, text, None, p.description)
        default = p.schema.get("default")
        note = f" Default: {records.quoted(default)}." if default is not None and p.name != "offset" else ""
        return Argument(p.python, f"{self.types.typing('Optional')}[{text}]", "None", p.description.strip() + note)

    def value(self, p: Parameter) -> str:
        schema = p.schema
        alias = records.alias_of(p.name, schema)
        item = schema if schema.get("type") != "array" else schema["items"]
        resolved = self.d.resolve(schema)
        if resolved.get("type") == "array":
            item = schema.get("items", resolved["items"])
        text = alias[0] if alias else self.types.annotation(item, "")
        if alias:
            self.types.used.add(alias[0])
        text = re.sub(r"^Optional\[(.*)\]$", r"\1", text)
        date = "format" in self.d.resolve(item) and self.d.resolve(item)["format"] == "date"
        if date or self.d.name(item) == "Moment":
            text = self.own("DateLike")
        if p.joined:
            return f"{self.types.typing('Sequence')}[{text}]"
        if resolved.get("type") == "array":
            return f"{self.own('OneOrMore')}[{text}]"
        return text

    def path(self, o: Operation) -> str:
        names = re.findall(r"\{(\w+)\}", o.path)
        if not names:
            return f'"{o.path}"'
        return f'{self.own("path_to")}("{o.path}", {", ".join(f"{n}={snake(n)}" for n in names)})'

    def query(self, o: Operation, leave_out: Set[str], extra: str = "") -> str:
        pairs = []
        for p in o.of("query"):
            if p.name in leave_out:
                continue
            value = f'{self.own("joined")}("{p.name}", {p.python})' if p.joined else p.python
            pairs.append(f'"{p.name}": {value}')
        pairs += [extra] if extra else []
        return ", {" + ", ".join(pairs) + "}" if pairs else ""

    def methods(self, o: Operation) -> List[Method]:
        first = [self.argument(p) for p in o.parameters if p.place == "path" or p.place == "query" and p.name == "q"]
        if o.id == "revokeApiKey":
            first = [Argument("id", "str", None, "The id of the key.")]
        given = {a.name for a in first}
        named = [self.argument(p) for p in o.of("query") if p.python not in given]
        plain = self.plain(o, first, named)
        out = [plain]
        if o.id in ITERATORS:
            out.append(self.iterator(o, plain))
        if o.id in EXPORTS:
            out += self.export(o, plain)
        if o.id == "getEntity":
            out.append(plain._replace(
                name="get_entity_markdown", returns="str", returns_text="The Markdown (CommonMark with tables).",
                body=f'_text({self.path(o)}{self.query(o, set())}, "text/markdown")',
                doc="Read one entity as Markdown.\n\nFor people and language models: the facts with their sources, the scores, similar entities and recent changes.",
            ))
        if o.id == "getDataFile":
            to = [Argument("to", self.own("PathLike"), None, "The file to write.")]
            sha = [Argument("sha256", f"{self.types.typing('Optional')}[str]", "None", "The expected SHA-256 of the file, from the manifest.")]
            out.append(plain._replace(
                name="download_data_file", first=first + to, named=sha, returns=self.own("Downloaded"), returns_text="The completed download.",
                body=f"_save(to, {self.path(o)}, {{}}, sha256)", doc=download_doc("a file of a build", o.id), errors=plain.errors + DOWNLOAD_ERRORS,
            ))
        return out

    def plain(self, o: Operation, first: List[Argument], named: List[Argument]) -> Method:
        status, content = o.success()
        doc = o.summary + ".\n\n" + o.description
        errors = [f"{CLASSES[s]}: {r['description']}" for s, r in sorted(o.responses.items()) if s >= 400 and s not in ALWAYS]
        m = Method(snake(o.id), first, named, "None", "", "", True, doc, errors, [])
        path = self.path(o)
        if o.verb == "DELETE":
            return m._replace(body=f"_delete({path}{self.query(o, set())})")
        if o.verb == "POST":
            return self.write(o, m)
        if o.id in ("getFeed", "getOpenapi"):
            return self.document(o, m)
        if o.id in TEXTS:
            return m._replace(returns="str", returns_text=sentence(o, status), body=f'_text({path}{self.query(o, set())}, accept="{TEXTS[o.id]}")')
        json = next((c for media, c in content.items() if media in ("application/json", "application/ld+json")), None)
        name = self.d.name(json["schema"]) if json else None
        if json is None or name is None or name == "AnyJSON" or o.id in EXPORTS:
            return m._replace(returns="bytes", returns_text="The bytes of the file.", body=f"_bytes({path}{self.query(o, set())})")
        result = self.types.annotation(json["schema"], "")
        return m._replace(returns=result, returns_text=sentence(o, status), body=f"_json({path}{self.query(o, set())})")

    def write(self, o: Operation, m: Method) -> Method:
        first, named, body = list(m.first), list(m.named), "None"
        if o.body in WHOLE_BODIES:
            body = WHOLE_BODIES[o.body]
            kind = self.types.annotation({"$ref": f"#/components/schemas/{o.body}"}, "")
            first.append(Argument(body, kind, None, "The fields of a new entity, or a correction."))
        elif o.body is not None:
            fields, required = [], self.d.schemas[o.body]["required"]
            for name, schema in self.d.schemas[o.body]["properties"].items():
                kind = re.sub(r"^List\[", f"{self.types.typing('Sequence')}[", self.types.annotation(schema, ""))
                value = f"list({snake(name)})" if kind.startswith("Sequence") else snake(name)
                text = self.d.resolve(schema).get("description", "")
                if name in required:
                    first.append(Argument(snake(name), kind, None, text))
                else:
                    kind = kind if kind.startswith("Optional[") else f"{self.types.typing('Optional')}[{kind}]"
                    named.append(Argument(snake(name), kind, "None", text))
                    value = value if value == snake(name) else f"None if {snake(name)} is None else {value}"
                fields.append(f'"{name}": {value}')
            body = "{" + ", ".join(fields) + "}"
            if len(fields) > len(required):
                body = f"{self.own('given')}({body})"
        status, content = o.success()
        if "application/json" not in content:
            return m._replace(first=first, named=named, body=f"_post({self.path(o)}, {body})")
        result = self.types.annotation(content["application/json"]["schema"], "")
        key = Argument("idempotency_key", f"{self.types.typing('Optional')}[str]", "None",
                       "Identifies this write: if it is repeated within 24 hours, even by another process, it has no further effect. By default, a random value.")
        return m._replace(first=first, named=named + [key], returns=result, returns_text=sentence(o, status),
                          body=f"_write({self.path(o)}, {body}, idempotency_key)")

    def document(self, o: Operation, m: Method) -> Method:
        """Return the method of an operation whose parameter format determines the result."""
        _, content = o.success()
        media = next(v for k, v in content.items() if k in ("application/json", "application/feed+json"))
        result = self.types.annotation(media["schema"], "")
        values = next(p for p in o.of("query") if p.name == "format").schema["enum"]
        others = [v for v in values if v != "json"]
        default = "rss" if "rss" in values else "json"
        as_json, as_text = f'{self.types.typing("Literal")}["json"]', f"Literal[{', '.join(records.quoted(v) for v in others)}]"
        named = [Argument("format", f"Literal[{', '.join(records.quoted(v) for v in values)}]", f'"{default}"', a.text) if a.name == "format" else a
                 for a in m.named]
        self.types.typing("overload")
        self.own("Union")
        choices = [[as_json, '"json"' if default == "json" else "", result], [as_text, f'"{default}"' if default != "json" else "", "str"]]
        return m._replace(named=named, returns=f"Union[{result}, str]", returns_text="The document: parsed if it is JSON, otherwise as text.",
                          body=f"_document({self.path(o)}{self.query(o, set())})", overloads=choices)

    def iterator(self, o: Operation, plain: Method) -> Method:
        schema = self.d.resolve(o.success()[1]["application/json"]["schema"])
        item = self.types.annotation(schema["properties"]["data"]["items"], "")
        named = [a for a in plain.named if a.name not in ("limit", "offset", "cursor")]
        self.types.typing("Optional")
        named += [Argument("cursor", "Optional[str]", "None", "Where to continue: the ``nextCursor`` of a page."),
                  Argument("page_size", "int", "100", "The number of records per request, up to 100.")]
        query = self.query(o, {"limit", "offset"}, '"limit": page_size')
        return plain._replace(
            name=ITERATORS[o.id], named=named, returns=f"Iterator[{item}]", returns_text="An iterator over the records of all pages, which are requested as needed.",
            body=f"_items({self.path(o)}{query})", waits=False,
            doc=f"{o.summary}, on all pages.\n\nLike :meth:`{plain.name}`, which has the details. Each page is a request.")

    def export(self, o: Operation, plain: Method) -> List[Method]:
        what, record = EXPORTS[o.id]
        self.types.used.add(record)
        named = [a for a in plain.named if a.name != "format"]
        stream = plain._replace(
            name="stream_" + what, named=named, returns=f"RecordStream[{record}]", returns_text="A stream of the records; close it after use.",
            body=f"_records({self.path(o)}{self.query(o, {'format'}, chr(34) + 'format' + chr(34) + ': ' + chr(34) + 'jsonl' + chr(34))})", waits=False,
            doc=f"{o.summary}, as a stream of records.\n\nLike :meth:`{plain.name}`, which has the details, in JSONL. An export of any size is one request and uses constant memory.")
        to = [Argument("to", self.own("PathLike"), None, "The file to write.")]
        save = plain._replace(
            name="download_" + what, first=plain.first + to, returns=self.own("Downloaded"), returns_text="The completed download.",
            body=f"_save(to, {self.path(o)}{self.query(o, set())})", doc=download_doc("this export to a file", o.id), errors=plain.errors + DOWNLOAD_ERRORS)
        return [stream, save]

    def text(self, m: Method, asynchronous: bool) -> str:
        """Return the source of a method."""
        returns = m.returns
        if asynchronous:
            returns = re.sub(r"^(Iterator|RecordStream)\[", r"Async\1[", returns)
        for name in ("Iterator", "AsyncIterator"):
            if returns.startswith(name + "["):
                self.types.typing(name)
        for name in ("RecordStream", "AsyncRecordStream"):
            if returns.startswith(name + "["):
                self.own(name)
        define = "async def" if asynchronous and m.waits else "def"
        wait = "await " if asynchronous and m.waits else ""
        call = f"{wait}self.{m.body}"
        out = []
        for annotation, default, result in m.overloads:
            named = [a._replace(annotation=annotation, default=default or None) if a.name == "format" else a for a in m.named]
            out.append(f"    @overload\n{signature(define, m.name, m.first, named, result)} ...\n")
        out.append(signature(define, m.name, m.first, m.named, returns) + "\n" + self.doc(m))
        out.append(folded(call if m.returns == "None" else f"return {call}"))
        return "\n".join(out) + "\n"

    def doc(self, m: Method) -> str:
        arguments = m.first + m.named
        parts = [wrapped(prose(m.doc), "        ").strip()]
        if arguments:
            parts.append("        Args:\n" + "\n".join(wrapped(prose(a.text), "            ", f"{a.name}: ") for a in arguments))
        if m.returns != "None":
            parts.append("        Returns:\n" + wrapped(prose(m.returns_text), "            "))
        if m.errors:
            parts.append("        Raises:\n" + "\n".join(wrapped(prose(e), "                ")[4:] for e in m.errors))
        return '        """' + "\n\n".join(parts) + '\n        """'


DOWNLOAD_ERRORS = ["IntegrityError: The SHA-256 of the file is wrong; the file was removed.", "OSError: The file cannot be written."]


def download_doc(what: str, operation: str) -> str:
    return (f"Download {what}.\n\nLike :meth:`{snake(operation)}`, which has the details, but without holding the file in memory. If the connection "
            "breaks, the download is resumed, in the same call or in a later one; until it is complete, the partial file is NAME.part. The "
            "SHA-256 is verified if it is known.")


def sentence(o: Operation, status: int) -> str:
    return str(o.responses[status]["description"])


def signature(define: str, name: str, first: List[Argument], named: List[Argument], returns: str) -> str:
    arguments = ["self", *map(str, first), *(["*", *map(str, named)] if named else [])]
    line = f"    {define} {name}({', '.join(arguments)}) -> {returns}:"
    if len(line) <= 120:
        return line
    return f"    {define} {name}(\n" + "".join(f"        {a},\n" for a in arguments) + f"    ) -> {returns}:"


def folded(call: str) -> str:
    """Return a call, with one query parameter per line if it is too long for one line."""
    line = "        " + call
    if len(line) <= 120:
        return line
    begin, query, rest = line.rpartition(', {"')
    if not query:
        begin, _, rest = line.partition("(")
        return f"{begin}(\n            {rest[:-1]}\n        )"
    inner, end = rest.rsplit("}", 1)
    pairs = re.split(r", (?=\")(?![^(]*\))", '"' + inner)
    return f"{begin}, {{\n" + "".join(f"            {p},\n" for p in pairs) + f"        }}{end}"


def modules(d: Description) -> Dict[str, str]:
    """Return the modules with the methods, by file name."""
    groups: Dict[str, List[Operation]] = {}
    for o in d.operations:
        groups.setdefault(CLASSES_OF_TAGS.get(o.tag, o.tag), []).append(o)
    out: Dict[str, str] = {}
    for folder in ("_sync", "_async"):
        for tag, operations in groups.items():
            out[f"{folder}/{tag.lower()}.py"] = module(d, tag, operations, folder == "_async")
        lines = "".join(f"from .{t.lower()} import {t}\n" for t in sorted(groups))
        names = ", ".join(f'"{t}"' for t in sorted(groups))
        kind = "asynchronous" if folder == "_async" else "blocking"
        out[f"{folder}/__init__.py"] = HEADER.format(title=f"The methods of the {kind} client.", version=d.version) + f"\n{lines}\n__all__ = [{names}]\n"
    return out


def module(d: Description, tag: str, operations: List[Operation], asynchronous: bool) -> str:
    w = Writer(d)
    texts = [w.text(m, asynchronous) for o in operations for m in w.methods(o)]
    base = "AsyncCore" if asynchronous else "Core"
    typing = {"Optional", "Literal", "List", "Dict", "Any", "Union", "Sequence", "Iterator", "AsyncIterator", "overload"}
    source = "\n".join(texts)
    used = {n for n in (w.types.used | w.extra) if re.search(rf"(?<![\w\"]){n}(?![\w\"])", re.sub(r'"""[\s\S]*?"""', "", source))}
    places = {"RecordStream": "._streams", "AsyncRecordStream": "._acore", "Downloaded": "._downloads", "PathLike": "._downloads",
              "DateLike": "._addresses", "OneOrMore": "._addresses", "given": "._addresses", "joined": "._addresses", "path_to": "._addresses"}
    imports: Dict[str, Set[str]] = {"._acore" if asynchronous else "._core": {base}}
    for n in used:
        imports.setdefault("typing" if n in typing else places.get(n, ".types"), set()).add(n)
    head = HEADER.format(title=f"{tag}: {d.tag_texts[tag]}", version=d.version)
    lines = []
    if "typing" in imports:
        lines += [records.imported("typing", sorted(imports.pop("typing"))), ""]
    lines += [records.imported("." + m, sorted(n, key=str.lower)) for m, n in ((m, list(imports[m])) for m in sorted(imports)) for n in [sorted(n)]]
    return f'{head}\n' + "\n".join(lines) + f'\n\n\nclass {tag}({base}):\n    """{d.tag_texts[tag]}"""\n\n' + source


