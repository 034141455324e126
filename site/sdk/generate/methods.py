"""Generates both clients: a method for every operation, and its variants."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import records
from description import HEADER, Description, Operation, Parameter, filled, packed, prose, quoted, snake

# The errors that are particular to an operation; all operations can raise the others.
ERRORS = {404: "NotFoundError", 409: "ConflictError", 410: "GoneError"}

# Where the names in signatures and bodies are defined, if not in kindex.types.
PLACES = {
    "typing": ["Any", "AsyncIterator", "Dict", "Iterator", "List", "Literal", "Mapping", "Optional", "Sequence", "Union",
               "overload"],
    "._acore": ["AsyncCore", "AsyncRecordStream"],
    "._addresses": ["DateLike", "OneOrMore", "flags", "given", "joined", "more", "path_to"],
    "._core": ["Core"],
    "._downloads": ["Downloaded", "PathLike"],
    "._streams": ["RecordStream"],
}

CLIENT = """A client for a kindex service.

It has a method for every operation of the API, named after the operation. Methods return the JSON
objects of the API as dictionaries, with all members that the service sends; :mod:`kindex.types`
describes them for type checkers.

Threads can share a client: each concurrent request has its own connection, which is kept open for
the next request. You can modify what a method returns, because no other caller has the same
object. After a fork, the child process can use the client too; it opens its own connections."""

ASYNC_CLIENT = """An asyncio client for a kindex service.

It has the methods of :class:`Client` as coroutines; iterators and streams are asynchronous. Use
each client in only one event loop. Threads make the requests, at most ``concurrency`` at a time.
Cancelling a task shuts down its connection, which releases the thread; if the connection is still
being established, that can take up to ``timeout`` seconds."""

DOWNLOAD = """{}, as a file.

If the connection breaks, the download is resumed, in the same call or in a later one; until it is complete, the
partial file is NAME.part. The SHA-256 is verified if it is known."""
DOWNLOAD_ERRORS = [
    "IntegrityError: The SHA-256 of the file is wrong; the file was removed.",
    "OSError: The file cannot be written.",
]


class Argument(NamedTuple):
    name: str
    annotation: str
    default: Optional[str]  # None if it is required
    text: str  # empty if another method explains it

    def __str__(self) -> str:
        return f"{self.name}: {self.annotation}" + ("" if self.default is None else f" = {self.default}")


EXTRA = Argument("extra", "Optional[Mapping[str, object]]", "None", """More parameters by their names in the API, such as
    a filter by a field that this version of the package does not know.""")
KEY = Argument("idempotency_key", "Optional[str]", "None", """Identifies this write: if it is repeated within 24 hours, even
    by another process, it has no further effect. By default, a random value.""")


@dataclass
class Method:
    name: str
    doc: str
    call: str  # an expression without "self." and "await"
    first: List[Argument]  # positional or keyword arguments
    named: List[Argument]  # keyword-only arguments
    returns: str = "None"  # in the blocking client
    overloads: List[Tuple[str, str]] = field(default_factory=list)  # declarations of the parameter format, and results
    errors: List[str] = field(default_factory=list)

    def variant(self, name: str, doc: str, call: str, returns: str, named: List[Argument], *first: Argument) -> "Method":
        """Return a method that refers to this one for the arguments that both have."""
        shared = self.first + self.named
        named = [a._replace(text="") if a in shared else a for a in named]
        doc += f"\n\nLike :meth:`{self.name}`, which explains the other arguments."
        return Method(name, doc, call, [*(a._replace(text="") for a in self.first), *first], named, returns)


class Writer:
    """Makes the methods of an operation."""

    def __init__(self, d: Description) -> None:
        self.d, self.types = d, records.Types(d)

    def argument(self, p: Parameter) -> Argument:
        text = self.value(p)
        if p.required:
            return Argument(p.python, text, None, p.description)
        default = p.schema.get("default")
        note = f" Default: {quoted(default)}." if default is not None and p.name != "offset" else ""
        return Argument(p.python, f"Optional[{text}]", "None", p.description.strip() + note)

    def value(self, p: Parameter) -> str:
        """Return the annotation for a value of a parameter that is not None."""
        schema = self.d.resolve(p.schema)
        item = schema.get("items", p.schema)
        text = records.alias_of(p.name, schema) or re.sub(r"^Optional\[(.*)\]$", r"\1", self.types.annotation(item))
        if text == "EntityType":
            text = "EntityTypeOrName"
        elif is_flag(p, self.d):
            text = f"Union[bool, {text}]"
        elif self.d.resolve(item).get("format") == "date" or self.d.name(item) == "Moment":
            text = "DateLike"
        return f"OneOrMore[{text}]" if schema.get("type") == "array" else text

    def query(self, o: Operation, leave_out: Tuple[str, ...] = (), also: str = "") -> str:
        """Return the path of a request and, unless it never has one, its query."""
        pairs = [f'"{p.name}": {self.encoded(p)}' for p in o.of("query") if p.name not in leave_out]
        pairs += [also] if also else []
        if o.verb == "GET" and o.of("query"):
            pairs.append("**more(extra)")
        return path_of(o) + (", {" + ", ".join(pairs) + "}" if pairs else "")

    def encoded(self, p: Parameter) -> str:
        if p.joined:
            return f'joined("{p.name}", {p.python})'
        return f"flags({p.python})" if is_flag(p, self.d) else p.python

    def methods(self, o: Operation) -> List[Method]:
        """Return the method of an operation and its variants."""
        positional = [p for p in o.parameters if p.place == "path" or p.name == "q" or o.verb == "DELETE" and p.place == "query"]
        first = [self.argument(p._replace(required=True)) for p in positional]
        named = [self.argument(p) for p in o.of("query") if p not in positional]
        if o.verb == "GET" and o.of("query"):
            named.append(EXTRA)
        errors = [f"{ERRORS[s]}: {text}" for s, text in sorted(o.errors.items()) if s in ERRORS]
        query = self.query(o)
        m = Method(o.name, f"{o.summary}.\n\n{o.description}", f"_bytes({query})", first, named, "bytes", errors=errors)
        json = next((s for media, s in o.content.items() if re.search(r"[/+]json$", media)), None)
        if o.verb == "DELETE":
            return [replace(m, call=f"_delete({query})", returns="None")]
        if o.verb == "POST":
            return [self.write(o, m)]
        if "application/x-ndjson" in o.content and o.parameter("format"):
            return [m, *self.export(o, m)]
        if o.parameter("format") and json:
            return [self.document(o, m, self.types.annotation(json))]
        if "image/svg+xml" in o.content:
            return [replace(m, returns="str", call=f'_text({query}, accept="image/svg+xml")')]
        if o.parameter("file") and json:
            sha256 = Argument("sha256", "Optional[str]", "None", "The expected SHA-256 of the file, from the manifest.")
            return [m, self.download(o, m, "download_data_file", f"{query}, {{}}, sha256", [sha256])]
        if json is None:
            return [m]
        m = replace(m, returns=self.types.annotation(json), call=f"_json({query})")
        out = [m]
        if "text/markdown" in o.content:
            doc, call = f"{o.summary}, as Markdown for people and language models.", f'_text({query}, accept="text/markdown")'
            out.append(m.variant(o.name + "_markdown", doc, call, "str", named))
        if o.parameter("cursor"):
            out.append(self.iterator(o, m, self.d.resolve(json)))
        return out

    def write(self, o: Operation, m: Method) -> Method:
        first, named, body = list(m.first), list(m.named), "None"
        schema = self.d.schemas[o.body] if o.body else {}
        if "anyOf" in schema:
            body = "entity"
            first.append(Argument(body, self.types.annotation(schema), None, "The fields of a new entity, or a correction."))
        elif schema:
            fields: List[str] = []
            for name, member in schema["properties"].items():
                kind = re.sub(r"^List\[", "Sequence[", self.types.annotation(member))
                required = name in schema["required"]
                value = snake(name) if not kind.startswith("Sequence[") else f"{snake(name)} and list({snake(name)})"
                text = self.d.resolve(member).get("description", "")
                optional = kind if required or kind.startswith("Optional[") else f"Optional[{kind}]"
                (first if required else named).append(Argument(snake(name), optional, None if required else "None", text))
                fields.append(f"{name}={value}")
            body = "given(" + ", ".join(fields) + ")"
        if "application/json" not in o.content:
            return replace(m, first=first, named=named, call=f"_post({path_of(o)}, {body})", returns="None")
        returns = self.types.annotation(o.content["application/json"])
        return replace(m, first=first, named=[*named, KEY], call=f"_write({path_of(o)}, {body}, idempotency_key)", returns=returns)

    def document(self, o: Operation, m: Method, result: str) -> Method:
        """Return the method of an operation whose parameter format determines the type of the result."""
        p = o.parameter("format")
        assert p is not None
        values = p.schema["enum"]
        default = p.schema.get("default") or next(v for v in ("rss", "json") if v in values)
        overloads: List[Tuple[str, str]] = []
        for choice, returns in ((["json"], result), ([v for v in values if v != "json"], "str")):
            assigned = f" = {quoted(default)}" if default in choice else ""
            overloads.append((f"format: {records.literal(choice)}{assigned}", returns))
        any_format = {"annotation": records.literal(values), "default": quoted(default)}
        named = [a._replace(**any_format) if a.name == "format" else a for a in m.named]
        return replace(m, named=named, returns=f"Union[{result}, str]", call=f"_document({self.query(o)})", overloads=overloads)

    def iterator(self, o: Operation, m: Method, page: Dict[str, Any]) -> Method:
        limit = o.parameter("limit")
        most = limit.schema["maximum"] if limit else 100
        named = [a for a in m.named if a.name not in ("limit", "offset", "cursor")]
        named += [Argument("cursor", "Optional[str]", "None", "Where to continue: the ``nextCursor`` of a page."),
                  Argument("page_size", "int", "100", f"The number of records per request, up to {most}.")]
        name = "iter_search" if o.name == "search_entities" else re.sub("^(list|get)_", "iter_", o.name)
        doc = f"{o.summary}, on all pages.\n\nThe pages are requested as needed; each is a request."
        item = self.types.annotation(page["properties"]["data"]["items"])
        query = self.query(o, ("limit", "offset"), '"limit": page_size')
        return m.variant(name, doc, f"_items({query})", f"Iterator[{item}]", named)

    def export(self, o: Operation, m: Method) -> List[Method]:
        what = o.name[len("export_") :]
        doc = f"{o.summary}, as a stream of records.\n\nAn export of any size is one request, and uses constant memory."
        record = self.types.annotation(o.content["application/json"]["items"])
        query = self.query(o, ("format", "csv"), '"format": "jsonl"')
        named = [a for a in m.named if a.name not in ("format", "csv")]
        stream = m.variant("stream_" + what, doc + " Close the stream after use.", f"_records({query})", f"RecordStream[{record}]", named)
        return [stream, self.download(o, m, "download_" + what, self.query(o), m.named)]

    def download(self, o: Operation, m: Method, name: str, query: str, named: List[Argument]) -> Method:
        to = Argument("to", "PathLike", None, "The file to write.")
        save = m.variant(name, DOWNLOAD.format(o.summary), f"_save(to, {query})", "Downloaded", named, to)
        return replace(save, errors=DOWNLOAD_ERRORS)


def is_flag(p: Parameter, d: Description) -> bool:
    """Return whether a parameter accepts true and false."""
    schema = d.resolve(p.schema)
    item = d.resolve(schema.get("items", schema))
    return item.get("type") == "boolean" or item.get("enum") == ["true", "false"]


def path_of(o: Operation) -> str:
    names = re.findall(r"\{(\w+)\}", o.path)
    return f'path_to("{o.path}", {", ".join(f"{n}={snake(n)}" for n in names)})' if names else f'"{o.path}"'


def source(m: Method, asynchronous: bool, seen: Dict[str, Dict[Argument, None]]) -> str:
    """Return the source of a method of one of the clients."""
    prefix, define, wait, parts = "", "def", "", []
    if asynchronous and m.returns.startswith(("Iterator[", "RecordStream[")):
        prefix = "Async"
    elif asynchronous:
        define, wait = "async def", "await "
    for declaration, returns in m.overloads:
        named = [declaration if a.name == "format" else str(a) for a in m.named]
        parts.append(f"    @overload\n{signature(define, m, named, returns)} ...\n")
    parts.append(signature(define, m, list(map(str, m.named)), prefix + m.returns))
    parts.append(documentation(m, seen))
    call = re.sub(r"^(\w+)\(", r'_call("\1", ', m.call) if wait else m.call
    call = ("" if m.returns == "None" else "return ") + wait + "self." + call
    if len(call) > 100:  # the query, or else the arguments, on lines of their own
        opening, inner, closing = re.fullmatch(r"(.*?, \{|.*?\()(.*?)(\}\)|\))", call).groups()  # type: ignore[union-attr]
        call = f"{opening}\n{packed(re.split(r', (?![^(]*[^(]+[)])', inner), '            ')}\n        {closing}"
    parts.append(f"        {call}\n")
    return "\n".join(parts)


def signature(define: str, m: Method, named: List[str], returns: str) -> str:
    arguments = ["self", *map(str, m.first), *(["*", *named] if named else [])]
    line = f"    {define} {m.name}({', '.join(arguments)}) -> {returns}:"
    return line if len(line) <= 110 else f"    {define} {m.name}(\n{packed(arguments, '        ')}\n    ) -> {returns}:"


def documentation(m: Method, seen: Dict[str, Dict[Argument, None]]) -> str:
    """Return the docstring of a method; ``seen`` has the arguments that earlier methods explain."""
    parts = [filled(prose(m.doc), "        ").strip()]
    explained = {a: None for a in m.first + m.named if a.text}
    other = max(seen, key=lambda name: len(seen[name].keys() & explained.keys()), default="")
    same = [a for a in explained if a in seen.get(other, {})]
    args = [filled(prose(a.text), "            ", f"{a.name}: ") for a in explained if len(same) < 5 or a not in same]
    if len(same) >= 5:
        args.append(filled(f"As in :meth:`{other}`.", "            ", f"{', '.join(a.name for a in same)}: "))
    seen[m.name] = explained
    if args:
        parts.append("        Args:\n" + "\n".join(args))
    if m.errors:
        parts.append("        Raises:\n" + "\n".join(filled(prose(e), "            ").replace("\n", "\n    ") for e in m.errors))
    return '        """' + "\n\n".join(parts) + '\n        """'


def module(d: Description, asynchronous: bool) -> str:
    """Return the source of one of the clients."""
    w = Writer(d)
    name, base, text = ("AsyncClient", "AsyncCore", ASYNC_CLIENT) if asynchronous else ("Client", "Core", CLIENT)
    doc = text.replace("\n", "\n    ").replace("    \n", "\n")
    seen: Dict[str, Dict[Argument, None]] = {}
    methods = [source(m, asynchronous, seen) for o in d.operations for m in w.methods(o)]
    body = "\n".join([f'class {name}({base}):\n    """{doc}\n    """\n', *methods])
    code = set(re.findall(r"(?<![\".\w])\w+(?![\w\"])", re.sub(r'"""[\s\S]*?"""', "", body)))
    places = {**PLACES, ".types": [n for n in re.findall(r"^(?:class )?([A-Z]\w+)(?:\(| = )", records.module(d), re.M)]}
    used = {place: sorted(code & set(names)) for place, names in places.items()}
    imports = [f"from {place} import (\n{packed(names, '    ')}\n)\n" for place, names in used.items() if names]
    title = f"The {'asynchronous' if asynchronous else 'blocking'} client."
    return f"{HEADER.format(title=title, version=d.version)}\n{''.join(imports)}\n\n{body}"
