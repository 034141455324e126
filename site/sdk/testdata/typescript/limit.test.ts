// A limit of three requests is used up; the next day starts after the second refusal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kindex, RateLimitedError } from 'kindex';

const { URL: baseUrl, KEY: apiKey } = process.env;
assert(baseUrl && apiKey);

test('the client waits for the next window', async () => {
  const kindex = new Kindex({ baseUrl, apiKey });
  assert.equal(kindex.rateLimit, null);
  const left: number[] = [];
  for (const slug of ['pytorch', 'keras', 'pytorch', 'tensorflow']) { // the second pytorch is a 304 and does not count
    await kindex.getEntity('tool', slug);
    left.push(kindex.rateLimit!.remaining);
  }
  assert.deepEqual(left, [2, 1, 1, 0]);

  await assert.rejects(kindex.listCategories({ maxRetryDelay: 0 }), (e) => e instanceof RateLimitedError && e.code === 'rate-limited' && e.retryAfter! <= 10);
  const statuses: number[] = [];
  const { count } = await kindex.listCategories({ onResponse: (i) => statuses.push(i.status) });
  assert(count > 0);
  assert.deepEqual(statuses, [429, 200]);
  assert.equal(kindex.rateLimit!.remaining, 2);
});
