"""Helpers for the tests of the Python library: servers that misbehave, and a check that
responses match their types."""

import functools
import http.server
import os
import socket
import threading
import typing
from typing import Any, Callable, Dict, List, Literal, Union

import kindex

URL = os.environ["KINDEX_URL"]
KEY = os.environ["KINDEX_API_KEY"]
PATIENCE = 300  # seconds that a test waits for something before it fails


def client(**options: Any) -> kindex.Client:
    return kindex.Client(URL, KEY, **options)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def handle_any(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.seen.append((self.command, self.path, dict(self.headers.items()), body))
        self.server.answer(self, len(self.server.seen))

    do_GET = do_POST = do_DELETE = do_CONNECT = handle_any

    def log_message(self, *_: Any) -> None:
        pass

    def say(self, status: int = 200, body: bytes = b"{}", **headers: str) -> None:
        self.send_response(status)
        names = {n.replace("_", "-"): v for n, v in headers.items()}
        names.setdefault("Content-Type", "application/json")
        names.setdefault("Content-Length", str(len(body)))
        for name, value in names.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def cut(self) -> None:
        """Close the connection without sending anything more."""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    """A loopback server with responses that a test defines."""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, answer: Callable[[Handler, int], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.seen: List[Any] = []
        self.connections = 0
        self.url = "http://127.0.0.1:%d" % self.server_address[1]
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})

    def get_request(self) -> Any:
        self.connections += 1
        return super().get_request()

    def handle_error(self, *_: Any) -> None:
        pass  # the tests disconnect clients on purpose

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


def conform(value: Any, hint: Any, where: str = "response", narrowed: bool = False) -> None:
    """Fail if a value does not match a type; if ``narrowed``, members can be missing."""
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if hint is Any:
        return
    if origin is Union:
        problems = []
        for choice in arguments:
            try:
                return conform(value, choice, where, narrowed)
            except AssertionError as e:
                problems.append(str(e))
        raise AssertionError("; ".join(problems))
    if origin is Literal:
        assert value in arguments, f"{where}: {value!r} is not one of {arguments}"
    elif origin in (list, typing.List):
        assert isinstance(value, list), f"{where}: {value!r} is not a list"
        for n, item in enumerate(value):
            conform(item, arguments[0], f"{where}[{n}]", narrowed)
    elif origin in (dict, typing.Dict):
        assert isinstance(value, dict), f"{where}: {value!r} is not a dict"
    elif hasattr(hint, "__required_keys__"):
        conform_object(value, hint, where, narrowed)
    elif hint is float:
        assert isinstance(value, (int, float)) and not isinstance(value, bool), f"{where}: {value!r} is not a number"
    elif hint is int:
        assert isinstance(value, int) and not isinstance(value, bool), f"{where}: {value!r} is not an int"
    else:
        assert isinstance(value, hint), f"{where}: {value!r} is not a {hint}"


@functools.lru_cache(maxsize=None)
def members_of(hint: Any) -> Dict[str, Any]:
    return typing.get_type_hints(hint)


def conform_object(value: Any, hint: Any, where: str, narrowed: bool) -> None:
    assert isinstance(value, dict), f"{where}: {value!r} is not an object"
    members = members_of(hint)
    unknown = set(value) - set(members)
    if not hint.__name__.startswith(("Croissant", "OpenAPI")):  # these can have more members
        assert not unknown, f"{where}: {hint.__name__} does not have {unknown}"
    missing = set(hint.__required_keys__) - set(value)
    assert narrowed or not missing, f"{where}: {missing} are missing in {hint.__name__}"
    for name in set(value) & set(members):
        conform(value[name], members[name], f"{where}.{name}", narrowed and name in ("data", "scores"))
