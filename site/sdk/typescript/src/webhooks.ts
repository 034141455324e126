import { ProtocolError, WebhookVerificationError } from './errors.js';
import type { WebhookEvent } from './types.js';

/** The headers of a request, in fetch or in Node. */
export type HeadersLike = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** How many seconds the timestamp can differ from the current time; 300 by default. */
  toleranceSeconds?: number;
  /** The current time; by default, the system time. */
  now?: Date;
}

/**
 * Verifies a webhook delivery according to Standard Webhooks, and returns its event. Verify
 * before you use the body, and pass its unchanged bytes: parsing JSON and serializing it again
 * can change them.
 *
 * The same event can arrive more than once, with the same `event.id`.
 *
 * @param secret The secret from `createWebhook`, `whsec_…`. Pass both secrets during a rotation.
 * @param headers The headers of the request.
 * @param rawBody The bytes of the body, or its text.
 * @throws {@link WebhookVerificationError} if a header is missing, the signature is invalid, or
 * the timestamp is too old or in the future.
 * @example
 * // A handler for a fetch Request.
 * async function receive(request: Request): Promise<Response> {
 *   try {
 *     const event = await verifyWebhook(secret, request.headers, await request.text());
 *     queue.push(event);
 *     return new Response(null, { status: 204 });
 *   } catch {
 *     return new Response(null, { status: 400 });
 *   }
 * }
 */
export async function verifyWebhook(secret: string | readonly string[], headers: HeadersLike, rawBody: string | Uint8Array | ArrayBuffer,
  options: VerifyOptions = {}): Promise<WebhookEvent> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  checkTime(timestamp, options);

  const body = readBody(rawBody);
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (typeof secret !== 'string' && !Array.isArray(secret)) throw new WebhookVerificationError(`The secret is ${typeof secret}. Is its environment variable set?`);
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : (secret as readonly string[])).map(readSecret));
  if (!(await anyMatches(keys, signatures, signed))) {
    throw new WebhookVerificationError('The signature does not match this body and secret.');
  }
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new ProtocolError('The delivery is signed, but is not JSON.', { cause });
  }
}

/** Returns the bytes of a body, and rejects bodies that a framework has parsed. */
function readBody(raw: unknown): Uint8Array<ArrayBuffer> {
  if (typeof raw === 'string') return new TextEncoder().encode(raw);
  if (raw instanceof Uint8Array || Object.prototype.toString.call(raw) === '[object ArrayBuffer]') return new Uint8Array(raw as ArrayBuffer);
  throw new WebhookVerificationError(`rawBody is ${raw === null ? 'null' : typeof raw}, not the unchanged bytes or text of the body. Has a framework already parsed it?`);
}

/** Returns whether one of the signatures was made with one of the keys. */
async function anyMatches(keys: readonly CryptoKey[], signatures: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const signature of signatures.split(' ')) {
    const [version, encoded] = signature.split(',', 2);
    const given = version === 'v1' && encoded !== undefined ? fromBase64(encoded) : null;
    if (given === null) continue; // another version, such as v1a
    for (const key of keys) {
      // Web Crypto compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, given, signed)) return true;
    }
  }
  return false;
}

function checkTime(timestamp: string, options: VerifyOptions): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError(`webhook-timestamp is ${JSON.stringify(timestamp.slice(0, 40))}, not a number of seconds since 1970.`);
  const tolerance = options.toleranceSeconds ?? 300;
  if (!Number.isFinite(tolerance) || tolerance < 0) {
    throw new WebhookVerificationError(`toleranceSeconds is ${tolerance}; it must be a finite number that is not negative.`);
  }
  const age = (options.now ?? new Date()).getTime() / 1000 - Number(timestamp);
  if (!(Math.abs(age) <= tolerance)) {
    throw new WebhookVerificationError(`The delivery was signed ${Math.abs(Math.round(age))} seconds ${age > 0 ? 'ago' : 'in the future'}; at most ${tolerance} are allowed.`);
  }
}

function header(headers: HeadersLike, name: string): string {
  let value: unknown;
  if (typeof headers.get === 'function') value = headers.get(name);
  else value = Object.entries(headers).find(([n]) => n.toLowerCase() === name)?.[1];
  if (Array.isArray(value) && value.length === 1) value = value[0];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing, or occurs more than once.`);
  return value;
}

async function readSecret(secret: string): Promise<CryptoKey> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  // Anyone could sign with an empty key.
  if (key === null || key.length === 0) throw new WebhookVerificationError('The secret is not whsec_ followed by base64, as returned by createWebhook.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
