// An agent's program: it connects to a server of the Model Context Protocol with the
// protocol's own client and does what it is told.
//
//   node agent.mjs SITE WAY < STEPS
//
// SITE is the folder of node_modules; WAY is {"command", "args", "env"} or {"url",
// "headers"}; STEPS is a list of [method of the client, its parameters]. What came of
// each is printed, as a list of {"result"} or {"error"}, behind what the server said of
// itself. The method "left" is not the client's: it says how many requests are left.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [site, way] = [process.argv[2], JSON.parse(process.argv[3])];
const require = createRequire(pathToFileURL(resolve(site, "package.json")));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)).href);
const { Client } = await load("index");

const transport = way.url
  ? new (await load("streamableHttp")).StreamableHTTPClientTransport(new URL(way.url), { requestInit: { headers: way.headers } })
  : new (await load("stdio")).StdioClientTransport({ ...way, env: { ...process.env, ...way.env }, stderr: "inherit" });

const client = new Client({ name: "agent", version: "1" });
const out = [];

async function left({ url, headers }) {
  const response = await fetch(url, { headers });
  await response.arrayBuffer(); // an unread body would keep this program from ending
  return { content: [{ type: "text", text: response.headers.get("x-ratelimit-remaining") }] };
}

try {
  await client.connect(transport);
  out.push({ result: { server: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() } });
  for (const [method, params] of JSON.parse(readFileSync(0, "utf8"))) {
    try {
      out.push({ result: await (method === "left" ? left(params) : client[method](params)) });
    } catch (e) {
      out.push({ error: String(e.message) });
    }
  }
} catch (e) {
  out.push({ error: String(e.message) });
}
await client.close();
console.log(JSON.stringify(out));
