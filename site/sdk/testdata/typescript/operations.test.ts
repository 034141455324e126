// Calls every operation of the description; the edge records which ones were called.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { ForbiddenError, Kindex, NotFoundError } from 'kindex';

const { URL: baseUrl, KEY: apiKey, RECEIVER: receiver, OUT: out } = process.env;
assert(baseUrl && apiKey && receiver && out);
const kindex = new Kindex({ baseUrl, apiKey });

test('entities', async () => {
  const list = await kindex.listEntities({ category: 'speech-audio', tag: ['python', 'speech,deep-learning'], sort: 'name', limit: 5 });
  assert(list.data.length > 0 && list.data.every((e) => e.category === 'speech-audio'));
  assert.match(list.build, /^\d{8}-[0-9a-f]{16}$/);

  const entity = await kindex.getEntity('tool', 'pytorch');
  assert.equal(entity.name, 'PyTorch');
  assert.equal(typeof entity.scores.composite, 'number');
  assert.match(await kindex.getEntityMarkdown('tool', 'pytorch'), /^# PyTorch/m);

  const changes = await kindex.listEntityChanges('tool', 'pytorch', { limit: 1 });
  assert.equal(changes.data[0]?.entity.slug, 'pytorch');
  assert.equal(changes.data[0]?.changes[0]?.field, 'signals.stars');

  const score = await kindex.getEntityScore('tool', 'pytorch');
  assert(score.dimensions.some((d) => d.name === 'adoption' && d.measures.length > 0));
  const similar = await kindex.listSimilarEntities('tool', 'pytorch', { limit: 2 });
  assert.equal(similar.data.length, 2);
  assert(similar.data[0]!.reasons.length > 0);
  const relations = await kindex.listRelations('tool', 'pytorch');
  assert.equal(relations.data.length, relations.count);
});

test('search', async () => {
  const found = await kindex.searchEntities({ q: 'gradient boosting', type: 'tool', facets: ['category'], limit: 3 });
  assert.equal(found.data.length, 3);
  assert(found.data[0]!.relevance > 0 && found.facets?.category?.[0]?.count);
  assert.equal((await kindex.suggestEntities({ q: 'pytor' })).data[0]?.slug, 'pytorch');
});

test('leaderboards', async () => {
  const board = await kindex.getLeaderboard('all', { by: 'adoption', type: 'tool', limit: 2 });
  assert.deepEqual(board.data.map((e) => e.rank), [1, 2]);
  assert.equal((await kindex.listTrending({ window: '30d' })).window, '30d');
  assert((await kindex.listBoards()).data.every((b) => b.count >= 8));
  assert((await kindex.listCategories()).data.some((c) => c.slug === 'speech-audio'));
  assert((await kindex.listKinds()).data.some((k) => k.name === 'tool' && k.count > 0));
});

test('history', async () => {
  const deleted = await kindex.listChanges({ event: 'entity.deleted' });
  assert.equal(deleted.data[0]?.entity.slug, 'agate');
  const feed = await kindex.getFeed({ format: 'json', entity: 'tool/pytorch' });
  assert.equal(feed.version, 'https://jsonfeed.org/version/1.1');
  assert.match(await kindex.getFeed({ format: 'atom' }), /<feed /);
  assert.match(await kindex.getFeed(), /<rss /);
});

test('exports', async () => {
  const rows = await kindex.exportEntities({ type: 'model', fields: ['slug', 'composite'] }).toArray();
  assert(rows.length > 50);
  assert.deepEqual(Object.keys(rows[0]!), ['slug', 'composite']);
  const ranks = await kindex.exportLeaderboard({ category: 'speech-audio' }).toArray();
  assert.equal(ranks[0]?.rank, 1);
  const changes = await kindex.exportChangelog({ type: 'model' }).toArray();
  assert(changes.length > 0 && changes.every((c) => c.entity.type === 'model'));

  const manifest = await kindex.getManifest();
  const file = manifest.files.find((f) => f.path === 'entities.csv');
  assert(file !== undefined);
  assert.equal((await kindex.getDataFile(manifest.id, file.path).bytes()).length, file.size);
  const month = await kindex.getChangesOfMonth('2026-11');
  assert(month.counts.created >= month.added.count && month.added.count > 0);
  const quality = await kindex.getQuality();
  assert(quality.groups.some((g) => g.type === 'tool' && g.category === null && g.entities > 0));
  const croissant = await kindex.getCroissant();
  assert.equal(croissant['conformsTo'], 'http://mlcommons.org/croissant/1.1');
  assert.match(await kindex.getBadge('tool', 'pytorch', { show: 'rank', label: 'our rank' }), /^<svg .*our rank/s);
});

test('prices', async () => {
  const offers = await kindex.listOffers({ model: 'gpt-5', sort: 'input' });
  assert(offers.count > 0 && offers.data.every((o) => o.slug === 'gpt-5'));
  const costs = await kindex.getCost({ model: 'gpt-5', input: 1_000_000, output: 1000, provider: 'openai' });
  assert.deepEqual(costs.data.map((c) => c.provider), ['openai']);
  assert(typeof costs.data[0]?.cost === 'number');
});

test('identifiers', async () => {
  const one = await kindex.resolve({ id: 'pkg:pypi/torch@2.1.0' });
  assert.equal(one.data[0]?.matches[0]?.slug, 'pytorch');
  const batch = await kindex.resolveBatch(['tool/pytorch', 'pypi:no-such-package']);
  assert.deepEqual(batch.data.map((r) => r.matches.length), [1, 0]);
});

test('figures over time', async () => {
  const points = await kindex.listEntitySignals('tool', 'pytorch', { name: 'stars' }).toArray();
  assert(points.length > 0 && points.every((p) => p.name === 'stars'));
  assert.match(await kindex.getCalendar({ type: 'model' }), /^BEGIN:VCALENDAR/);
});

test('long tables', async () => {
  const signals = await kindex.exportSignals({ type: 'tool' }).toArray();
  assert(signals.some((s) => s.slug === 'pytorch' && s.signal === 'stars' && s.value !== null));
  assert((await kindex.exportBenchmarks().toArray()).length > 0);
  assert((await kindex.exportOffers().toArray()).some((o) => o.provider === 'openai'));
  assert((await kindex.exportIds().toArray()).some((i) => i.namespace === 'pypi' && i.id === 'torch'));
  const rows = await kindex.exportEntities({ type: 'model', fields: 'all' }).toArray();
  assert(rows.some((r) => r.priceBlended !== null && r.rank !== null));
});

test('clients', async () => {
  const description = await kindex.getOpenapi();
  const version = String(description.info['version']);
  const typescript = await kindex.getTypescriptSdk().bytes();
  assert.deepEqual(await kindex.getTypescriptSdkVersion(`${version}.tgz`).bytes(), typescript);
  const python = await kindex.getPythonSdk().bytes();
  assert.deepEqual(await kindex.getPythonSdkVersion(`kindex-${version}.tar.gz`).bytes(), python);
  assert.deepEqual([typescript[0], typescript[1]], [0x1f, 0x8b]); // gzip
  assert.equal(description.openapi, '3.0.3');
  assert.equal(typeof description.info['title'], 'string'); // typed as an object with any members
  assert('/api/entities' in description.paths && description.paths['/api/entities'] !== undefined);
  assert.match(await kindex.getOpenapi({ format: 'yaml' }), /^openapi: 3\.0\.3\n/);
});

test('keys', async () => {
  const made = await kindex.createApiKey({ name: 'laptop' });
  assert.match(made.key, /^kx_/);
  assert.deepEqual(made.scopes, ['read', 'submit', 'webhooks']);
  assert.deepEqual((await kindex.listApiKeys()).data.map((k) => k.name), ['first', 'laptop']);
  const other = new Kindex({ baseUrl, apiKey: made.key });
  await assert.rejects(other.listApiKeys(), (e) => e instanceof ForbiddenError && e.code === 'insufficient-scope');
  const leaked = await kindex.createApiKey({ name: 'leaked', scopes: ['read'], expiresAt: new Date(Date.now() + 86_400_000).toISOString() });
  assert.equal(await new Kindex({ baseUrl }).revokeLeakedKey({ key: leaked.key }), undefined);
  const log = await kindex.listAuditLog({ limit: 2 });
  assert.deepEqual(log.data.map((e) => [e.action, e.target, e.actor.kind]), [['key.reported', leaked.id, 'anyone'], ['key.created', leaked.id, 'key']]);
  assert.equal(await kindex.revokeApiKey({ id: made.id }), undefined);
  await assert.rejects(kindex.revokeApiKey({ id: made.id }), (e) => e instanceof NotFoundError && e.code === 'unknown-key');
});

test('submissions', async () => {
  const made = await kindex.submitEntity({
    type: 'tool', name: 'Example Tool', description: 'Does what an example does.', category: 'speech-audio', url: 'https://example.org/tool',
  });
  assert.equal(made.status, 'pending');
  assert.equal((await kindex.listSubmissions({ status: 'pending' })).data[0]?.id, made.id);
  assert.equal((await kindex.getSubmission(made.id)).fields.name, 'Example Tool');
  assert.equal(await kindex.withdrawSubmission(made.id), undefined);
  assert.equal((await kindex.getSubmission(made.id)).status, 'withdrawn');
});

test('webhooks', async () => {
  const made = await kindex.createWebhook({ url: receiver, events: ['entity.updated'] });
  writeFileSync(out, JSON.stringify(made));
  assert.equal((await kindex.listWebhooks()).count, 1);
  const sent = await kindex.testWebhook(made.id);
  assert.equal(sent.event, 'webhook.test');
  for (let tries = 0; ; tries++) {
    const log = await kindex.listDeliveries(made.id, { status: 'succeeded' }, { cache: false });
    if (log.data.some((d) => d.id === sent.id)) break;
    assert(tries < 3000, 'the test was not delivered');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.notEqual((await kindex.replayDelivery(made.id, sent.id)).id, sent.id);
  assert.notEqual((await kindex.rotateWebhook(made.id)).secret, made.secret);
  assert.equal((await kindex.getWebhook(made.id)).active, true);
  assert.equal(await kindex.deleteWebhook(made.id), undefined);
});
