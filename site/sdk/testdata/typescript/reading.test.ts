// Pages, selected fields, errors, redirects, earlier days and the cache.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ApiError, BadRequestError, GoneError, Kindex, KindexError, NotFoundError, UnauthorizedError, member, named,
  type EntityField, type ResponseInfo,
} from 'kindex';

const { URL: baseUrl, KEY: apiKey } = process.env;
assert(baseUrl && apiKey);
const kindex = new Kindex({ baseUrl, apiKey });

/** Counts the responses to a call. */
function watch(): { options: { onResponse: (info: ResponseInfo) => void }; seen: ResponseInfo[] } {
  const seen: ResponseInfo[] = [];
  return { seen, options: { onResponse: (info) => void seen.push(info) } };
}

test('all records, page by page', async () => {
  const first = await kindex.listEntities();
  assert.equal(first.data.length, 20);
  const { seen, options } = watch();
  const slugs = new Set<string>();
  for await (const e of kindex.listEntities({ fields: ['type', 'slug'] }, options)) slugs.add(`${e.type}/${e.slug}`);
  assert.equal(slugs.size, first.count);
  assert.equal(seen.length, Math.ceil(first.count / 100));
});

test('pages, and where they start', async () => {
  const sizes: number[] = [];
  for await (const page of kindex.getLeaderboard('all', { limit: 70, offset: 10 }).pages()) sizes.push(page.data.length);
  const { count } = await kindex.getLeaderboard('all');
  assert.equal(sizes.reduce((a, b) => a + b), count - 10);
  assert.equal(sizes[0], 70);
});

test('pages that are not used are not requested', async () => {
  const { seen, options } = watch();
  const listing = kindex.listChanges({ limit: 10 }, options);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(seen.length, 0);
  for await (const change of listing) {
    assert.equal(typeof change.id, 'string');
    break;
  }
  assert.equal(seen.length, 1);
  assert.equal((await kindex.listChanges({}, options).toArray(150)).length, 150);
  assert.equal(seen.length, 3);
});

test('a listing is a promise', async () => {
  const [a, b] = await Promise.all([kindex.listEntities({ limit: 1 }), kindex.searchEntities({ q: 'speech', limit: 1 })]);
  assert.equal(a.data.length + b.data.length, 2);
  const wrong = kindex.listEntities({ limit: 1001 });
  await assert.rejects(wrong, BadRequestError);
  let last = 0;
  await wrong.catch(() => 1).then((n) => (last = Number(n)));
  await kindex.listEntities({ limit: 1 }).finally(() => last++);
  assert.equal(last, 2);
});

test('fields', async () => {
  const { data } = await kindex.listEntities({ type: 'tool', minScore: 1, fields: ['name', 'composite', 'quality'], limit: 1 });
  const score: number | null = data[0]!.scores.composite;
  assert.equal(typeof score, 'number');
  // @ts-expect-error the compiler knows which fields were not selected
  assert.equal(data[0]!.slug, undefined);
  // @ts-expect-error including scores
  assert.equal(data[0]!.scores.adoption, undefined);
  const whole = await kindex.listEntities({ type: 'tool', minScore: 1, fields: ['scores', 'composite'], limit: 1 });
  assert.equal(typeof whole.data[0]!.scores.adoption, 'number');
  const unknown: EntityField[] = JSON.parse('["slug"]');
  const some = await kindex.listEntities({ fields: unknown, limit: 1 });
  const slug: string | undefined = some.data[0]!.slug;
  assert.equal(typeof slug, 'string');
  const hits = await kindex.searchEntities({ q: 'speech', fields: 'slug', limit: 1 });
  assert(hits.data[0]!.relevance > 0 && hits.data[0]!.slug);
});

test('only JSONL exports can be iterated over', () => {
  // @ts-expect-error CSV is a file
  const rows: AsyncIterable<unknown> = kindex.exportEntities({ format: 'csv' });
  assert(rows);
  // @ts-expect-error the compiler knows the columns
  kindex.exportEntities({ fields: ['scores'] });
});

test('errors describe what is wrong and what would be valid', async () => {
  await assert.rejects(kindex.getEntity('tool', 'pytrch'), (e) => {
    assert(e instanceof NotFoundError && e instanceof ApiError && e instanceof KindexError && e instanceof Error);
    assert.deepEqual([e.name, e.status, e.code, e.suggestion], ['NotFoundError', 404, 'unknown-entity', '/api/entity/tool/pytorch']);
    assert.match(e.requestId ?? '', /^[\w.-]+$/);
    return /pytrch.*\/api\/entity\/tool\/pytorch/s.test(e.message);
  });
  await assert.rejects(kindex.getEntity('tool', 'agate'), (e) => e instanceof GoneError && e.code === 'deleted-entity');
  // @ts-expect-error the compiler knows the names
  await assert.rejects(kindex.listEntities({ catgory: 'speech-audio' }), (e) => e instanceof BadRequestError && e.suggestion === 'category');
  await assert.rejects(kindex.listEntities({ tag: [] }), (e) => e instanceof BadRequestError && e.errors[0]?.field === 'tag');
  await assert.rejects(new Kindex({ baseUrl }).listWebhooks(), UnauthorizedError);
  await assert.rejects(
    // @ts-expect-error required fields are missing
    kindex.submitEntity({ type: 'tool', name: 'Half' }),
    (e) => e instanceof BadRequestError && e.code === 'invalid-body' && e.errors.length >= 3,
  );
  for (const slug of ['', '.', '..']) await assert.rejects(async () => kindex.getEntity('tool', slug), KindexError);
  await assert.rejects(kindex.getEntity('tool', '../model/o3'), NotFoundError);
});

test('an invalid key is rejected, and the error does not contain it', () => {
  for (const bad of ['', 'kx_geheim\n', 'kx_gehäim']) {
    assert.throws(() => new Kindex({ baseUrl, apiKey: bad }), (e) => e instanceof KindexError && !e.message.includes('geh'));
  }
  for (const bad of ['index.example.org', 'ftp://example.org', 'https://kx_key@example.org', '']) {
    assert.throws(() => new Kindex({ baseUrl: bad }), KindexError, bad);
  }
  assert(!JSON.stringify(kindex).includes(apiKey) && !`${kindex}`.includes(apiKey));
});

test('the base address can have a path and a trailing slash', async () => {
  for (const base of [baseUrl + '/', new URL(baseUrl), baseUrl + '/?x=1#y']) {
    assert((await new Kindex({ baseUrl: base, apiKey }).listCategories()).count > 0);
  }
  await assert.rejects(new Kindex({ baseUrl: baseUrl + '/index/', apiKey }).listCategories(), (e) => e instanceof NotFoundError && e.detail.includes('/index/api/categories'));
});

test('a former slug redirects to the entity, with or without a key', async () => {
  for (const client of [kindex, new Kindex({ baseUrl })]) {
    assert.equal((await client.getEntity('tool', 'tensorlayer')).slug, 'tensor-layer');
    assert.equal((await client.listEntityChanges('tool', 'tensorlayer').toArray()).at(-1)?.entity.slug, 'tensorlayer');
  }
  assert.equal(kindex.rateLimit?.tier, 'authenticated');
  // The index was made as of 2026-11-21, and the entity was renamed the day before.
  assert.equal((await kindex.getEntity('tool', 'tensorlayer', { at: '2026-11-11' })).slug, 'tensorlayer');
});

test('unchanged responses do not count towards the limit', async () => {
  const client = new Kindex({ baseUrl, apiKey });
  const { seen, options } = watch();
  const first = await client.getEntity('tool', 'pytorch', {}, options);
  const left = client.rateLimit!.remaining;
  first.tags.push('mine');
  const again = await client.getEntity('tool', 'pytorch', {}, options);
  assert.deepEqual(seen.map((i) => i.status), [200, 304]);
  assert.equal(client.rateLimit!.remaining, left);
  assert(!again.tags.includes('mine'), 'two callers have one object');
  assert.equal(client.rateLimit!.tier, 'authenticated');
  assert(client.rateLimit!.reset.getTime() > Date.now());

  const markdown = await client.getEntityMarkdown('tool', 'pytorch', {}, options);
  assert.equal(await client.getEntityMarkdown('tool', 'pytorch', {}, options), markdown);
  assert.equal((await client.getEntity('tool', 'pytorch', {}, options)).slug, 'pytorch');
  await client.getEntity('tool', 'tensorlayer', {}, options);
  assert.equal((await client.getEntity('tool', 'tensorlayer', {}, options)).slug, 'tensor-layer');
  assert.deepEqual(seen.slice(2).map((i) => i.status), [200, 304, 304, 200, 304]);

  await client.getEntity('tool', 'pytorch', {}, { ...options, cache: false });
  await new Kindex({ baseUrl, apiKey, cache: false }).getEntity('tool', 'pytorch', {}, options);
  assert.deepEqual(seen.slice(7).map((i) => i.status), [200, 200]);
  assert(client.rateLimit!.remaining < left);
});

test('the cache is bounded', async () => {
  const { seen, options } = watch();
  const client = new Kindex({ baseUrl, apiKey, cache: { maxEntries: 2 } });
  for (const slug of ['pytorch', 'tensorflow', 'pytorch', 'keras', 'pytorch', 'tensorflow']) await client.getEntity('tool', slug, {}, options);
  assert.deepEqual(seen.map((i) => i.status), [200, 200, 304, 200, 304, 200]);
  const small = new Kindex({ baseUrl, apiKey, cache: { maxCharacters: 100 } });
  await small.getEntity('tool', 'pytorch');
  await small.getEntity('tool', 'pytorch', {}, options);
  assert.equal(seen.at(-1)?.status, 200);
});

test('the caller can set the request id', async () => {
  const { seen, options } = watch();
  await kindex.listCategories({ ...options, requestId: 'nightly-7' });
  assert.equal(seen[0]?.requestId, 'nightly-7');
  assert.match(seen[0]?.build ?? '', /^\d{8}-/);
});

test('an error in onResponse is not a network error', async () => {
  let told = 0;
  const onResponse = () => {
    told++;
    throw new Error('mine');
  };
  await assert.rejects(kindex.listCategories({ onResponse }), (e) => e instanceof KindexError && (e.cause as Error).message === 'mine');
  assert.equal(told, 1);
});

test('undocumented members are kept', async () => {
  const client = new Kindex({ baseUrl, fetch: async () => Response.json({ data: [], count: 0, build: 'b', news: { from: 'tomorrow' } }) });
  assert.deepEqual(member(await client.listCategories(), 'news'), { from: 'tomorrow' });
});

test('names that the index declares need no new version', async () => {
  const asked: string[] = [];
  const client = new Kindex({ baseUrl: 'http://index.example', fetch: async (address) => {
    asked.push(address.slice('http://index.example'.length));
    return Response.json({ data: [{ slug: 'celadon', surface: 'matte' }], count: 1, nextCursor: null, build: 'b' });
  } });
  const found = await client.listEntities({ type: named('glaze'), openWeights: true, sort: named('signal.firings'), fields: ['slug', named('surface')],
    extra: { surface: ['matte', 'gloss'], foodSafe: true, minFirings: 3 } });
  const slug: string = found.data[0]!.slug;
  assert.deepEqual([slug, member(found.data[0]!, 'surface'), member(found.data[0]!, 'toString')], ['celadon', 'matte', undefined]);
  // @ts-expect-error the compiler knows which fields were not selected
  assert.equal(found.data[0]!.name, undefined);
  await client.getEntity(named('glaze'), 'celadon', { extra: { lang: 'en' } });
  // @ts-expect-error a name that is not known must be marked as such
  await client.getEntity('glaze', 'celadon');
  // @ts-expect-error likewise
  await client.listEntities({ type: 'glaze' });
  assert.deepEqual(asked, [
    '/api/entities?type=glaze&openWeights=true&sort=signal.firings&fields=slug&fields=surface&surface=matte&surface=gloss&foodSafe=true&minFirings=3',
    '/api/entity/glaze/celadon?lang=en', '/api/entity/glaze/celadon', '/api/entities?type=glaze',
  ]);
  assert.equal((await kindex.listEntities({ openWeights: true })).count, (await kindex.listEntities({ extra: { openWeights: 'true' } })).count);
});

test('the package exports only what is documented', async () => {
  const functions = Object.entries(await import('kindex')).filter(([, value]) => typeof value === 'function' && !(value.prototype instanceof Error));
  assert.deepEqual(functions.map(([name]) => name).sort(), ['Kindex', 'member', 'named', 'verifyWebhook']);
});
