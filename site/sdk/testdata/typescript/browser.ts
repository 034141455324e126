// Compiled without Node's types, and run in a browser by TestTypeScript.
import { Kindex, NotFoundError, verifyWebhook } from 'kindex';

interface Given {
  baseUrl: string;
  apiKey: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
}

/** Uses the client the way a page would, and returns the results. */
export async function run(given: Given): Promise<Record<string, unknown>> {
  const kindex = new Kindex({ baseUrl: given.baseUrl });
  const results: Record<string, unknown> = {};
  results['name'] = (await kindex.getEntity('tool', 'pytorch')).name;
  const left = kindex.rateLimit?.remaining;
  await kindex.getEntity('tool', 'pytorch');
  results['cost of asking again'] = left! - kindex.rateLimit!.remaining;
  results['tier'] = kindex.rateLimit?.tier;

  let all = 0;
  for await (const _ of kindex.listEntities({ fields: ['slug'] })) all++;
  results['all'] = all === (await kindex.listEntities()).count;
  let rows = 0;
  for await (const row of kindex.exportEntities({ fields: ['slug'] })) if (row.slug !== '' && ++rows === 100) break;
  results['rows'] = rows;
  results['renamed'] = (await kindex.getEntity('tool', 'tensorlayer')).slug;
  results['error'] = await kindex.getEntity('tool', 'pytrch').catch((e: unknown) => (e instanceof NotFoundError ? e.suggestion : String(e)));

  const mine = new Kindex({ baseUrl: given.baseUrl, apiKey: given.apiKey });
  results['keys'] = (await mine.listApiKeys()).data.map((k) => k.name);
  results['tier with the key'] = mine.rateLimit?.tier;
  results['renamed with the key'] = (await mine.getEntity('tool', 'tensorlayer')).slug;
  const made = await mine.createApiKey({ name: 'from a page' });
  await mine.revokeApiKey({ id: made.id });

  results['webhook'] = (await verifyWebhook(given.secret, given.headers, given.body)).event;
  results['forged'] = await verifyWebhook(given.secret, given.headers, given.body + ' ').then(() => 'let through', (e: Error) => e.name);
  return results;
}
