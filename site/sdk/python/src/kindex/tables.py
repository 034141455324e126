"""Records as the rows of a table, for pandas, csv and the like."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping

__all__ = ["flatten", "flatten_record"]


def flatten_record(record: Mapping[str, Any], separator: str = ".") -> Dict[str, Any]:
    """Return a record without nested objects: ``scores.composite`` stands at the top.

    Lists stay lists. An object without members becomes nothing, as nothing is known.
    """
    row: Dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            inner = flatten_record(value, separator)  # pyright: ignore[reportUnknownArgumentType]
            row.update({name + separator + n: v for n, v in inner.items()})
        else:
            row[name] = value
    return row


def flatten(records: Iterable[Mapping[str, Any]], separator: str = ".") -> List[Dict[str, Any]]:
    """Return records as rows that all have the same columns, None where nothing is known.

    The columns stand in the order in which they first appear. ``csv.DictWriter``
    takes such rows, and a list of dictionaries is a form that ``pandas.DataFrame`` is
    made of. All records are held in memory.
    """
    rows = [flatten_record(r, separator) for r in records]
    columns: Dict[str, None] = {}
    for row in rows:
        columns.update(dict.fromkeys(row))
    return [{c: row.get(c) for c in columns} for row in rows]
