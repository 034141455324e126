"""Builds the wheel and the source archive of this package (PEP 517).

It lets pip install the package from a URL without any other package or further network
access. The archives are reproducible, byte for byte.
"""

import base64
import gzip
import hashlib
import io
import os
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "src")
# The earliest time that a zip file can store.
TIME = (1980, 1, 1, 0, 0, 0)
TAR_TIME = 499162500


def _read(name):
    with open(os.path.join(HERE, name), "rb") as f:
        return f.read()


def _stem():
    """Return the name and version of the package, as in the names of the archives."""
    fields = {}
    for line in _read("PKG-INFO").decode("utf-8").split("\n\n", 1)[0].splitlines():
        name, _, value = line.partition(": ")
        fields.setdefault(name, value)
    return fields["Name"] + "-" + fields["Version"]


def _files(folder, below):
    """Return the paths of all files under a folder, sorted."""
    found = []
    for parent, folders, names in os.walk(os.path.join(folder, below)):
        folders[:] = [f for f in folders if f != "__pycache__" and not f.startswith(".")]
        found += [os.path.join(parent, n) for n in names if not n.endswith(".pyc") and not n.startswith(".")]
    return sorted(os.path.relpath(f, folder).replace(os.sep, "/") for f in found)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel and return its file name."""
    stem = _stem()
    info = stem + ".dist-info/"
    files = {n: _read("src/" + n) for n in _files(SOURCE, "kindex")}
    files[info + "METADATA"] = _read("PKG-INFO")
    files[info + "WHEEL"] = b"Wheel-Version: 1.0\nGenerator: kindex backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[info + "LICENSE"] = _read("LICENSE")
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode("ascii").rstrip("=")
        record += "{},sha256={},{}\n".format(name, digest, len(data))
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode("utf-8")
    wheel = stem + "-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as z:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            z.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """Build the source archive and return its file name."""
    stem = _stem()
    name = stem + ".tar.gz"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for path in _files(HERE, "."):
            data = _read(path)
            entry = tarfile.TarInfo(stem + "/" + path)
            entry.size, entry.mtime, entry.mode = len(data), TAR_TIME, 0o644
            t.addfile(entry, io.BytesIO(data))
    with open(os.path.join(sdist_directory, name), "wb") as f:
        f.write(gzip.compress(out.getvalue(), 9, mtime=0))
    return name
