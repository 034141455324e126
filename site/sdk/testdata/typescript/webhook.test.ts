// Verifies a delivery from an edge, and checks that forged deliveries are rejected.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from 'kindex';

const { WEBHOOK, DELIVERY } = process.env;
assert(WEBHOOK && DELIVERY);
const { secret } = JSON.parse(readFileSync(WEBHOOK, 'utf8')) as { secret: string };
const { headers, body: encoded } = JSON.parse(readFileSync(DELIVERY, 'utf8')) as { headers: Record<string, string>; body: string };
const body = Buffer.from(encoded, 'base64');
const other = 'whsec_' + Buffer.alloc(32, 7).toString('base64');
const refused = (message: RegExp) => (e: unknown) => e instanceof WebhookVerificationError && message.test(e.message);

test('a genuine delivery', async () => {
  const event: WebhookEvent = await verifyWebhook(secret, headers, body);
  assert.equal(event.event, 'webhook.test');
  assert.equal(event.entity, null);
  assert.equal(event.id, headers['webhook-id']);
});

test('bodies and headers of all kinds', async () => {
  const node: Record<string, string | string[]> = Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toUpperCase(), [v]]));
  const buffer = body.buffer.slice(body.byteOffset, body.byteOffset + body.length);
  for (const h of [headers, node, new Headers(headers)]) {
    for (const b of [body, body.toString('utf8'), buffer, new Uint8Array(body)]) await verifyWebhook(secret, h, b);
  }
});

test('several secrets and signatures', async () => {
  await verifyWebhook([other, secret], headers, body);
  await verifyWebhook(secret.replace('whsec_', ''), headers, body);
  const several = { ...headers, 'webhook-signature': `v1a,AAAA v1,${Buffer.alloc(32).toString('base64')} v1,? ${headers['webhook-signature']}` };
  await verifyWebhook(secret, several, body);
});

test('forged deliveries', async () => {
  const changed = Buffer.from(body);
  changed[changed.length - 2]! ^= 1;
  await assert.rejects(verifyWebhook(secret, headers, changed), refused(/signature does not match/));
  await assert.rejects(verifyWebhook(other, headers, body), refused(/signature does not match/));
  await assert.rejects(verifyWebhook([], headers, body), refused(/signature does not match/));
  for (const signature of ['v1,', 'v1', 'v2,' + headers['webhook-signature']!.slice(3), headers['webhook-signature']!.slice(0, -8), 'v1,AAAA']) {
    await assert.rejects(verifyWebhook(secret, { ...headers, 'webhook-signature': signature }, body), refused(/signature does not match/), signature);
  }
  await assert.rejects(verifyWebhook(secret, { ...headers, 'webhook-id': 'evt_aaaaaaaaaaaaaaaaaaaa' }, body), refused(/signature does not match/));
});

test('parsed bodies and missing secrets are reported as such', async () => {
  for (const parsed of [JSON.parse(body.toString()), null, undefined, new DataView(new ArrayBuffer(2))]) {
    await assert.rejects(verifyWebhook(secret, headers, parsed as string), refused(/rawBody is \w+, not the unchanged bytes/));
  }
  await assert.rejects(verifyWebhook(undefined as unknown as string, headers, body), refused(/The secret is undefined/));
});

test('an empty secret verifies nothing', async () => {
  const signed = createHmac('sha256', '').update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(body).digest('base64');
  for (const empty of ['', 'whsec_', '?']) {
    await assert.rejects(verifyWebhook(empty, { ...headers, 'webhook-signature': 'v1,' + signed }, body), refused(/The secret is not/));
  }
});

test('timestamps that are too old or in the future', async () => {
  const sent = Number(headers['webhook-timestamp']) * 1000;
  const at = (seconds: number) => ({ now: new Date(sent + seconds * 1000) });
  await verifyWebhook(secret, headers, body, at(300));
  await verifyWebhook(secret, headers, body, at(-300));
  await assert.rejects(verifyWebhook(secret, headers, body, at(301)), refused(/301 seconds ago; at most 300 are allowed/));
  await assert.rejects(verifyWebhook(secret, headers, body, at(-301)), refused(/301 seconds in the future/));
  await verifyWebhook(secret, headers, body, { ...at(900), toleranceSeconds: 1000 });
  await assert.rejects(verifyWebhook(secret, headers, body, { toleranceSeconds: NaN }), refused(/NaN/));
  await assert.rejects(verifyWebhook(secret, headers, body, { ...at(1e9), toleranceSeconds: Infinity }), refused(/Infinity/));
  await assert.rejects(verifyWebhook(secret, headers, body, { toleranceSeconds: -1 }), refused(/-1/));
  await assert.rejects(verifyWebhook(secret, headers, body, { now: new Date(NaN) }), refused(/NaN/));
  for (const t of ['', 'now', '-5', '1e9', '0x10', '١٢٣', '9'.repeat(13)]) {
    await assert.rejects(verifyWebhook(secret, { ...headers, 'webhook-timestamp': t }, body), refused(/webhook-timestamp/), t);
  }
});

test('missing headers', async () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const { [name]: _, ...rest } = headers;
    await assert.rejects(verifyWebhook(secret, rest, body), refused(new RegExp(`The header ${name} is missing`)));
    await assert.rejects(verifyWebhook(secret, { ...headers, [name]: [headers[name]!, headers[name]!] }, body), refused(/more than once/));
  }
});
