// Servers that are busy, slow or unreachable, or that send unexpected responses. Most are fakes.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { ConflictError, Kindex, NetworkError, NotFoundError, ProtocolError, RateLimitedError, TimeoutError, UnavailableError, version } from 'kindex';

const { URL: edge, BUSY: busy } = process.env;
assert(edge && busy);

interface Server {
  url: string;
  asked: IncomingMessage[];
}

/** Starts a server that sends these responses in order, and then repeats the last one. */
async function serve(...answers: RequestListener[]): Promise<Server> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, answer) => {
    answers[Math.min(asked.push(request), answers.length) - 1]!(request, answer);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const categories: RequestListener = (_, answer) => void answer.setHeader('content-type', 'application/json').end('{"data": [], "count": 0, "build": "b"}');
const status = (code: number, headers: Record<string, string> = {}): RequestListener => (_, answer) => void answer.writeHead(code, headers).end('<h1>no</h1>');
const reset: RequestListener = (request) => void request.socket.destroy();
const silence: RequestListener = () => {};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

test('requests to a busy edge are retried after Retry-After', async () => {
  const client = new Kindex({ baseUrl: busy });
  const took = await timed(() => client.listCategories());
  assert(took >= 2000 && took < 20_000, `${took} ms`); // twice Retry-After: 1
});

test('Retry-After can be a date', async () => {
  const s = await serve((request, answer) => status(503, { 'retry-after': new Date(Date.now() + 2000).toUTCString() })(request, answer), categories);
  const took = await timed(() => new Kindex({ baseUrl: s.url }).listCategories());
  assert(took >= 900 && took < 20_000, `${took} ms`); // dates have whole seconds
});

test('a wait that would be too long is not started', async () => {
  const s = await serve(status(429, { 'retry-after': '3600' }), categories);
  const client = new Kindex({ baseUrl: s.url });
  await assert.rejects(client.listCategories(), (e) => e instanceof RateLimitedError && e.retryAfter === 3600 && e.code === 'http-429');
  const short = await serve(status(429, { 'retry-after': '1' }), categories);
  await assert.rejects(new Kindex({ baseUrl: short.url }).listCategories({ maxRetryDelay: 500 }), RateLimitedError);
  assert.equal(s.asked.length + short.asked.length, 2);
});

test('attempts are counted and reported', async () => {
  const s = await serve(status(502), reset, status(504), categories);
  const attempts: [number, number][] = [];
  const client = new Kindex({ baseUrl: s.url, retries: 3 });
  await client.listCategories({ onResponse: (i) => attempts.push([i.attempt, i.status]) });
  assert.deepEqual(attempts, [[1, 502], [3, 504], [4, 200]]);
  const bad = await serve(status(503));
  await assert.rejects(new Kindex({ baseUrl: bad.url, retries: 1 }).listCategories(), UnavailableError);
  assert.equal(bad.asked.length, 2);
  await assert.rejects(new Kindex({ baseUrl: bad.url }).listCategories({ retries: 0 }), UnavailableError);
  assert.equal(bad.asked.length, 3);
});

test('permanent errors are not retried', async () => {
  for (const code of [400, 404, 409, 418, 500]) {
    const s = await serve(status(code));
    await assert.rejects(new Kindex({ baseUrl: s.url }).listCategories(), { status: code });
    assert.equal(s.asked.length, 1);
  }
});

test('all attempts of a write have the same idempotency key', async () => {
  const made: RequestListener = (_, answer) => void answer.writeHead(201).end('{"id": "key_a"}');
  const s = await serve(reset, status(503, { 'retry-after': '0' }), made);
  const client = new Kindex({ baseUrl: s.url, apiKey: 'kx_a' });
  assert.equal((await client.createApiKey({ name: 'a' })).id, 'key_a');
  const names = s.asked.map((r) => r.headers['idempotency-key']);
  assert.equal(names.length, 3);
  assert.match(String(names[0]), /^[0-9a-f]{32}$/);
  assert.equal(new Set(names).size, 1);
  await client.createApiKey({ name: 'b' });
  assert.notEqual(s.asked[3]?.headers['idempotency-key'], names[0]);
  await client.createApiKey({ name: 'c' }, { idempotencyKey: 'mine' });
  assert.equal(s.asked[4]?.headers['idempotency-key'], 'mine');
});

test('a deletion that may have taken effect is not retried', async () => {
  const gone = await serve(reset, status(204));
  await assert.rejects(new Kindex({ baseUrl: gone.url, apiKey: 'kx_a' }).deleteWebhook('wh_a'), NetworkError);
  assert.equal(gone.asked.length, 1);
  const refused = await serve(status(503, { 'retry-after': '0' }), (_, answer) => void answer.writeHead(204).end());
  await new Kindex({ baseUrl: refused.url, apiKey: 'kx_a' }).deleteWebhook('wh_a');
  assert.equal(refused.asked.length, 2);
});

test('the key is not sent to the destination of a redirect', async () => {
  const other = await serve(categories);
  const s = await serve((request, answer) => {
    if (request.url === '/api/categories') status(301, { location: '/moved' })(request, answer);
    else status(307, { location: other.url + '/api/categories' })(request, answer);
  });
  await new Kindex({ baseUrl: s.url, apiKey: 'kx_secret' }).listCategories();
  assert.deepEqual(s.asked.map((r) => [r.url, r.headers['x-api-key']]), [['/api/categories', 'kx_secret'], ['/moved', 'kx_secret']]);
  assert.equal(other.asked.length, 1);
  assert(!JSON.stringify(other.asked[0]!.rawHeaders).includes('kx_secret'));
  // The same host with a different port, scheme or name is a different origin. Writes are not redirected.
  await assert.rejects(new Kindex({ baseUrl: s.url, apiKey: 'kx_secret' }).createApiKey({ name: 'x' }), ProtocolError);
  const round = await serve(status(302, { location: '/again' }));
  await assert.rejects(new Kindex({ baseUrl: round.url, apiKey: 'kx_a' }).listCategories(), /more than 5 times/);
  assert.equal(round.asked.length, 6);
});

test('timeouts', async () => {
  const s = await serve(silence);
  const took = await timed(() => assert.rejects(new Kindex({ baseUrl: s.url, timeout: 150, retries: 1 }).listCategories(), (e) => e instanceof TimeoutError && e instanceof NetworkError));
  assert(took >= 290 && s.asked.length <= 2, `${took} ms`); // two attempts
  const half = await serve((_, answer) => void answer.writeHead(200, { 'content-type': 'application/json' }).write('{"data'));
  await assert.rejects(new Kindex({ baseUrl: half.url, retries: 0 }).listCategories({ timeout: 150 }), TimeoutError);
});

test('signals', async () => {
  const s = await serve(silence);
  const client = new Kindex({ baseUrl: s.url });
  await assert.rejects(client.listCategories({ signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' });
  await assert.rejects(client.listCategories({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  const busy = await serve(status(503, { 'retry-after': '300' }));
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('shutting down')), 100);
  const took = await timed(() => assert.rejects(new Kindex({ baseUrl: busy.url, maxRetryDelay: 600_000 }).listCategories({ signal: stop.signal }), { message: 'shutting down' }));
  assert(took < 200_000, `${took} ms`);
});

test('no server', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => gone.once('listening', resolve));
  const free = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise((resolve) => gone.close(resolve));
  await assert.rejects(new Kindex({ baseUrl: free, retries: 0 }).listCategories(), (e) => e instanceof NetworkError && /ECONNREFUSED/.test(e.message) && e.cause !== undefined);
});

test('incomplete and unexpected responses', async () => {
  const cut: RequestListener = (_, answer) => {
    answer.writeHead(200, { 'content-length': '1000' });
    answer.write('{"data": [');
    answer.socket!.destroySoon();
  };
  const s = await serve(cut, categories);
  assert.equal((await new Kindex({ baseUrl: s.url }).listCategories()).count, 0);
  const page = await serve((_, answer) => void answer.end('<html>Please sign in to this network</html>'));
  await assert.rejects(new Kindex({ baseUrl: page.url }).listCategories(), (e) => e instanceof ProtocolError && /Please sign in/.test(e.message));
  const problem = await serve((_, answer) => void answer.writeHead(404, { 'content-type': 'application/problem+json' }).end('{'));
  await assert.rejects(new Kindex({ baseUrl: problem.url }).listCategories(), (e) => e instanceof NotFoundError && e.code === 'http-404');
  const short = await serve((_, answer) => void answer.writeHead(409, { 'content-type': 'application/problem+json' }).end('{"code": "new-code", "status": 409, "title": "New"}'));
  await assert.rejects(new Kindex({ baseUrl: short.url }).listCategories(), (e) => e instanceof ConflictError && (e.code as string) === 'new-code' && e.errors.length === 0);
});

test('request headers', async () => {
  const s = await serve(categories);
  await new Kindex({ baseUrl: s.url }).listCategories();
  assert.equal(s.asked[0]?.headers['user-agent'], `kindex-typescript/${version}`);
  assert.equal(s.asked[0]?.headers['x-api-key'], undefined);
});
