// Prints the columns of a Parquet file and all of its rows as read by DuckDB.
import { DuckDBConnection } from "@duckdb/node-api"

const db = await DuckDBConnection.create()
const ask = async (sql) => (await db.runAndReadAll(sql)).getRowObjectsJson()
const file = process.argv[2].replaceAll("'", "''")
console.log(JSON.stringify({
  columns: (await ask(`DESCRIBE FROM '${file}'`)).map((c) => [c.column_name, c.column_type, c.null]),
  sums: (await ask(`SELECT count(*)::INT AS rows, sum(composite) AS composite, sum(adoption) AS adoption, sum(quality) AS quality,
    sum(freshness) AS freshness, sum(citations) AS citations, sum(engagement) AS engagement, count(composite)::INT AS ranked,
    sum(len(tags))::INT AS tags, sum(len(capabilities))::INT AS capabilities, max(addedDate) AS addedDate, max(lastUpdated) AS lastUpdated
    FROM '${file}'`))[0],
  rows: await ask(`FROM '${file}'`),
}))
