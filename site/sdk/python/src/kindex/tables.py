"""Converts records to table rows, for pandas, csv and similar libraries."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping

__all__ = ["flatten", "flatten_record"]


def flatten_record(record: Mapping[str, Any], separator: str = ".") -> Dict[str, Any]:
    """Return a record without nested objects, with names such as ``scores.composite``.

    Lists remain lists. Objects without members are left out.
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
    """Return records as rows that all have the same columns; missing values are None.

    The columns are in the order in which they first appear. You can pass the rows to
    ``csv.DictWriter`` or ``pandas.DataFrame``. All records are held in memory.
    """
    rows = [flatten_record(r, separator) for r in records]
    columns: Dict[str, None] = {}
    for row in rows:
        columns.update(dict.fromkeys(row))
    return [{c: row.get(c) for c in columns} for row in rows]
