// Streamed exports, files, and broken connections.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { IntegrityError, Kindex, NetworkError, NotFoundError, ProtocolError } from 'kindex';
import { saveTo } from 'kindex/node';

const { URL: baseUrl, KEY: apiKey, BROKEN: broken } = process.env;
assert(baseUrl && apiKey && broken);
const kindex = new Kindex({ baseUrl, apiKey });
const dir = mkdtempSync(join(tmpdir(), 'kindex-streams-'));
after(() => rmSync(dir, { recursive: true }));
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Starts a server that runs until the end of the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('rows are the same as in the export', async () => {
  const whole = JSON.parse(await kindex.exportEntities({ format: 'json' }).text()) as unknown[];
  const rows = await kindex.exportEntities().toArray();
  assert.deepEqual(rows, whole);
  const slugs: string[] = [];
  for await (const row of kindex.exportEntities({ type: 'model', minScore: 1, fields: 'slug' })) slugs.push(row.slug);
  assert(slugs.length > 0 && slugs.length < rows.length);
});

test('bytes, text and streams are the same', async () => {
  const csv = kindex.exportEntities({ format: 'csv' });
  const text = await csv.text();
  assert(text.startsWith('slug,type,name'));
  assert.equal(Buffer.from(await csv.bytes()).toString(), text);
  assert.equal(await new Response(csv.stream()).text(), text);
  const cancelled = csv.stream().getReader();
  await cancelled.read();
  await cancelled.cancel();
  await assert.rejects(kindex.getDataFile('20200101-0123456789abcdef', 'entities.csv').bytes(), NotFoundError);
});

test('chunks can end anywhere in a row or character', async () => {
  const lines = Array.from({ length: 40 }, (_, i) => ({ slug: `n${i}`, name: 'größte 🎉\u2028 "x"' }));
  const bytes = Buffer.from(lines.map((l) => JSON.stringify(l)).join('\n'));
  const base = await serve(async (_, answer) => {
    for (let i = 0; i < bytes.length; i += 7) {
      answer.write(bytes.subarray(i, i + 7));
      if (i % 35 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    answer.end();
  });
  assert.deepEqual(await new Kindex({ baseUrl: base }).exportEntities().toArray(), lines);
});

test('leaving the loop closes the connection, and reading ahead is limited', async () => {
  let sent = 0;
  let closed: () => void;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  const row = JSON.stringify({ slug: 'a', description: 'x'.repeat(1000) }) + '\n';
  const base = await serve((request, answer) => {
    request.socket.once('close', () => closed());
    const more = () => {
      while (sent < 500_000_000 && answer.write(row)) sent += row.length;
      if (sent < 500_000_000) answer.once('drain', more);
    };
    more();
  });
  let rows = 0;
  for await (const r of new Kindex({ baseUrl: base }).exportEntities()) {
    assert.equal(r.slug, 'a');
    if (rows === 0) await new Promise((resolve) => setTimeout(resolve, 300)); // the server could send a lot in the meantime
    if (++rows === 10) break;
  }
  await gone;
  assert(sent < 50_000_000, `${sent} bytes were sent for 10 rows`);
});

test('rows continue after a broken connection, each exactly once', async () => {
  const rows = await new Kindex({ baseUrl: broken }).exportEntities().toArray();
  assert.deepEqual(rows, await new Kindex({ baseUrl: broken }).exportEntities().toArray());
  assert.equal(new Set(rows.map((r) => r.type + r.slug)).size, rows.length);
});

test('a connection that keeps breaking is an error', async () => {
  let asked = 0;
  const base = await serve((_, answer) => {
    asked++;
    answer.writeHead(200, { etag: '"a"' });
    answer.write('{"slug":"a"}\n');
    answer.socket!.destroySoon();
  });
  const got: string[] = [];
  await assert.rejects(async () => {
    for await (const row of new Kindex({ baseUrl: base, retries: 1 }).exportEntities()) got.push(row.slug);
  }, NetworkError);
  assert.deepEqual(got, ['a']);
  assert.equal(asked, 2);
});

test('an export that changes while the connection is broken is an error', async () => {
  let asked = 0;
  const base = await serve((_, answer) => {
    answer.writeHead(200, { etag: `"${asked++}"` });
    answer.write('{"slug":"a"}\n');
    answer.socket!.destroySoon();
  });
  await assert.rejects(new Kindex({ baseUrl: base }).exportEntities().toArray(), (e) => e instanceof ProtocolError && /has changed since/.test(e.message));
});

test('a stalled stream times out', async () => {
  const base = await serve((_, answer) => {
    answer.writeHead(200, { etag: '"a"' });
    answer.write('{"slug":"a"}\n');
  });
  await assert.rejects(new Kindex({ baseUrl: base, retries: 0, timeout: 200 }).exportEntities().toArray(), { name: 'TimeoutError' });
  // The time that the caller needs does not count towards the timeout.
  for await (const _ of new Kindex({ baseUrl, apiKey, timeout: 2500 }).exportEntities({ minScore: 80 })) {
    await new Promise((resolve) => setTimeout(resolve, 2600));
    break;
  }
});

test('cancelling a waiting stream closes the connection immediately', async () => {
  let closed: () => void;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  let asked = 0;
  const base = await serve((request, answer) => {
    asked++;
    request.socket.once('close', () => closed());
    answer.writeHead(200, { etag: '"a"' });
    answer.write('{"slug":"a"}\n'); // and nothing more
  });
  const stop = new AbortController();
  const rows = new Kindex({ baseUrl: base, timeout: 500_000 }).exportEntities({}, { signal: stop.signal });
  const reader = rows.stream().getReader();
  await reader.read();
  const waiting = reader.read();
  await reader.cancel();
  assert.equal((await waiting).done, true);
  await gone;
  assert.equal(asked, 1);
  // The signal of the call ends it too.
  const other = rows.stream().getReader();
  await other.read();
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await assert.rejects(other.read(), { message: 'enough' });
  await assert.rejects(rows.stream().getReader().read(), { message: 'enough' });
});

test('a signal ends a stream', async () => {
  const stop = new AbortController();
  let rows = 0;
  await assert.rejects(async () => {
    for await (const _ of kindex.exportEntities({}, { signal: stop.signal })) if (++rows === 3) stop.abort(new Error('enough'));
  }, { message: 'enough' });
});

test('files are saved completely and verified', async () => {
  const path = join(dir, 'new', 'entities.parquet');
  const saved = await saveTo(kindex.exportEntities({ format: 'parquet' }), path);
  const bytes = readFileSync(path);
  assert.deepEqual(saved, { path, size: bytes.length, sha256: sha256(bytes), verified: true, resumed: 0 });
  assert.equal(bytes.subarray(0, 4).toString(), 'PAR1');
  assert.deepEqual(readdirSync(join(dir, 'new')), ['entities.parquet']);
  const made = await saveTo(kindex.exportEntities({ format: 'csv', type: 'model' }), join(dir, 'models.csv'));
  assert.equal(made.verified, false); // generated on request: there is nothing to compare with
});

test('a download is resumed after each interruption, within a call', async () => {
  const client = new Kindex({ baseUrl: broken, retries: 4 });
  const manifest = await client.getManifest();
  const file = manifest.files.find((f) => f.path === 'entities.jsonl')!;
  assert(file.size > 4 * 30_000);
  const path = join(dir, 'cut.jsonl');
  const ranges: (string | null)[] = [];
  const saved = await saveTo(client.getDataFile(manifest.id, file.path, {
    onResponse: (info) => ranges.push(info.headers.get('content-range')),
  }), path, { sha256: file.sha256, size: file.size });
  assert.equal(saved.sha256, file.sha256);
  assert.equal(saved.verified, true);
  assert.equal(sha256(readFileSync(path)), file.sha256);
  // How much of the sent data arrives before the connection breaks is random.
  const starts = ranges.map((range) => Number(/^bytes (\d+)-/.exec(range ?? '')?.[1] ?? 0));
  assert.equal(starts.length, 4);
  starts.forEach((start, i) => assert(start <= i * 30_000 && start >= (starts[i - 1] ?? 0), `${starts}`));
  assert(starts[3]! > 0, 'nothing was gone on with');
});

test('a download that cannot be resumed fails, wherever it breaks', async () => {
  let asked = 0;
  const base = await serve((_, answer) => {
    answer.writeHead(200, { 'content-length': '9000' }); // without an entity tag for resuming
    answer.write('x'.repeat(++asked % 2 === 1 ? 2000 : 1000));
    answer.socket!.destroySoon();
  });
  const export_ = new Kindex({ baseUrl: base, retries: 2 }).exportEntities({ format: 'csv', type: 'tool' });
  await assert.rejects(saveTo(export_, join(dir, 'anew.csv')), NetworkError);
  assert.equal(asked, 3);
});

test('a later call resumes a download', async () => {
  const path = join(dir, 'later.csv');
  const csv = kindex.exportEntities({ format: 'csv' });
  const { sha256: sum, size } = await saveTo(csv, path);
  const bytes = readFileSync(path);
  const answer = await fetch(`${baseUrl}/api/export/entities?format=csv`, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
  const begin = (part: Uint8Array, etag: string) => {
    rmSync(path, { force: true });
    writeFileSync(path + '.part', part);
    writeFileSync(path + '.part.etag', etag);
  };
  begin(bytes.subarray(0, 1000), answer.headers.get('etag')!);
  assert.deepEqual(await saveTo(csv, path), { path, size, sha256: sum, verified: true, resumed: 1000 });
  begin(bytes.subarray(0, 1000), '"of an earlier build"');
  assert.deepEqual(await saveTo(csv, path), { path, size, sha256: sum, verified: true, resumed: 0 });
  begin(bytes, answer.headers.get('etag')!);
  assert.equal((await saveTo(csv, path)).sha256, sum);
  // Data that something else wrote to the partial file is detected and removed.
  begin(Buffer.alloc(1000), answer.headers.get('etag')!);
  await assert.rejects(saveTo(csv, path), IntegrityError);
  assert.equal((await saveTo(csv, path)).resumed, 0);
  assert.deepEqual(readFileSync(path), bytes);
});

test('a file with the wrong size or hash is removed', async () => {
  const path = join(dir, 'wrong.csv');
  const csv = kindex.exportEntities({ format: 'csv' });
  await assert.rejects(saveTo(csv, path, { sha256: '0'.repeat(64) }), IntegrityError);
  await assert.rejects(saveTo(csv, path, { size: 5 }), IntegrityError);
  await assert.rejects(saveTo(kindex.getDataFile('20200101-0123456789abcdef', 'x'), path), NotFoundError);
  assert.deepEqual(readdirSync(dir).filter((n) => n.startsWith('wrong')), []);
});
