// Parses responses from an edge with the schemas that orval generated, and prints mismatches.
// URL and KEY are those of the edge; the arguments are pairs of an operation and a path.
import * as schemas from './out/zod.js';

const {URL: base, KEY} = process.env;
const wrong = [];
for (let i = 2; i + 1 < process.argv.length; i += 2) {
  const [operation, path] = process.argv.slice(i, i + 2);
  const answer = await fetch(base + path, {headers: {'x-api-key': KEY}});
  const schema = schemas[`${operation}Response`];
  if (!answer.ok || !schema) {
    wrong.push(`${operation}: ${path} answers ${answer.status}; schema: ${Boolean(schema)}`);
    continue;
  }
  const body = await answer.json();
  const {error} = schema.safeParse(body);
  for (const issue of error?.issues.slice(0, 3) ?? []) wrong.push(`${operation}: ${path}: ${issue.path.join('.')}: ${issue.message}`);
  if (schema.safeParse(Array.isArray(body) ? [1] : {}).success) wrong.push(`${operation}: anything fits`);
}
console.log(JSON.stringify(wrong));
