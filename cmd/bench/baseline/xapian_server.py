"""Searches with Xapian, for the benchmarks.

Reads JSON lines: first one per document, then an empty line, then one per query. Writes one
JSON line when the database is built and one per query: the nanoseconds that it took, and the
records, which are read within that time but written after it.
"""
import json
import sys
import time

import xapian


def build(path):
    db = xapian.WritableDatabase(path + ".new", xapian.DB_CREATE_OR_OVERWRITE)
    generator = xapian.TermGenerator()
    generator.set_database(db)
    generator.set_flags(generator.FLAG_SPELLING)
    for line in sys.stdin:
        if not line.strip():
            break
        given = json.loads(line)
        doc = xapian.Document()
        generator.set_document(doc)
        for text, weight in zip(given["texts"], (8, 8, 3, 3, 1)):
            generator.index_text(text, weight)
            generator.increase_termpos()
        doc.add_value(0, given["category"])
        doc.add_value(1, given["license"])
        doc.set_data(given["record"])
        db.add_document(doc)
    db.commit()
    db.compact(path)
    db.close()
    return xapian.Database(path)


def search(db, enquire, kind, words):
    if kind == "prefix":
        query = xapian.Query(xapian.Query.OP_WILDCARD, words[0], 0, xapian.Query.WILDCARD_LIMIT_ERROR, xapian.Query.OP_SYNONYM)
    elif kind == "fuzzy":
        near = db.get_spelling_suggestion(words[0], 2 if len(words[0]) >= 8 else 1)
        query = xapian.Query(near.decode() if near else words[0])
    else:
        query = xapian.Query(xapian.Query.OP_AND, words)
    enquire.set_query(query)
    spies = [xapian.ValueCountMatchSpy(slot) for slot in (0, 1)] if kind == "facets" else []
    for spy in spies:
        enquire.add_matchspy(spy)
    found = enquire.get_mset(0, 20, db.get_doccount() if spies else 0)
    records = [match.document.get_data() for match in found]
    for spy in spies:
        records.append(b" ".join(value.term for value in spy.top_values(20)))
    enquire.clear_matchspies()
    return len(found), records


def main():
    db = build(sys.argv[1])
    print("{}", flush=True)
    enquire = xapian.Enquire(db)
    for line in sys.stdin:
        given = json.loads(line)
        start = time.perf_counter_ns()
        n, records = search(db, enquire, given["kind"], given["words"])
        took = time.perf_counter_ns() - start
        print(json.dumps({"took": took, "n": n, "records": b"".join(records).decode()}), flush=True)


main()
