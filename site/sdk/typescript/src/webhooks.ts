import { ProtocolError, WebhookVerificationError } from './errors.js';
import type { WebhookEvent } from './types.js';

/** Headers as frameworks have them: of fetch, or of Node. */
export type HeadersLike = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How {@link verifyWebhook} verifies. */
export interface VerifyOptions {
  /** By how much the clocks may differ, in seconds; 300 unless given. */
  toleranceSeconds?: number;
  /** The present moment, unless it is now. */
  now?: Date;
}

/**
 * Verifies a delivery of a webhook, as Standard Webhooks has it, and returns its event.
 * Do so before anything else with the body, and with its bytes as they came: to parse
 * and write JSON again makes others.
 *
 * The same event may come more than once; `event.id` is the same then.
 *
 * @param secret What `createWebhook` answered, `whsec_…`; several while one is replaced by another.
 * @param headers The headers of the request.
 * @param rawBody The bytes of the body, or its text.
 * @throws {@link WebhookVerificationError} where headers are missing, the signature is
 * forged, or the delivery was signed too long ago or in the future.
 * @example
 * // A handler in the style of fetch.
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
  if (typeof secret !== 'string' && !Array.isArray(secret)) throw new WebhookVerificationError(`The secret is ${typeof secret}. Is the variable set that it is read from?`);
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : (secret as readonly string[])).map(readSecret));
  if (!(await anyMatches(keys, signatures, signed))) {
    throw new WebhookVerificationError('The signature is not that of this body and this secret.');
  }
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new ProtocolError('The delivery is signed, and is no JSON.', { cause });
  }
}

/** readBody refuses what frameworks make of a body, of which no signature can be checked. */
function readBody(raw: unknown): Uint8Array<ArrayBuffer> {
  if (typeof raw === 'string') return new TextEncoder().encode(raw);
  if (raw instanceof Uint8Array || Object.prototype.toString.call(raw) === '[object ArrayBuffer]') return new Uint8Array(raw as ArrayBuffer);
  throw new WebhookVerificationError(`rawBody is ${raw === null ? 'null' : typeof raw}, not the bytes or the text of the body as they came. Has a framework parsed it already?`);
}

/** anyMatches says whether one of the signatures is that of one of the keys. */
async function anyMatches(keys: readonly CryptoKey[], signatures: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const signature of signatures.split(' ')) {
    const [version, encoded] = signature.split(',', 2);
    const given = version === 'v1' && encoded !== undefined ? fromBase64(encoded) : null;
    if (given === null) continue; // of another kind, such as v1a
    for (const key of keys) {
      // Web Crypto compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, given, signed)) return true;
    }
  }
  return false;
}

function checkTime(timestamp: string, options: VerifyOptions): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError(`webhook-timestamp is ${JSON.stringify(timestamp.slice(0, 40))}, not seconds since 1970.`);
  const tolerance = options.toleranceSeconds ?? 300;
  if (!Number.isFinite(tolerance) || tolerance < 0) {
    throw new WebhookVerificationError(`toleranceSeconds is ${tolerance}; it must be a finite number from zero up.`);
  }
  const age = (options.now ?? new Date()).getTime() / 1000 - Number(timestamp);
  if (!(Math.abs(age) <= tolerance)) {
    throw new WebhookVerificationError(`The delivery was signed ${Math.abs(Math.round(age))} seconds ${age > 0 ? 'ago' : 'from now'}; ${tolerance} are let pass.`);
  }
}

function header(headers: HeadersLike, name: string): string {
  let value: unknown;
  if (typeof headers.get === 'function') value = headers.get(name);
  else value = Object.entries(headers).find(([n]) => n.toLowerCase() === name)?.[1];
  if (Array.isArray(value) && value.length === 1) value = value[0];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing, or there are several.`);
  return value;
}

async function readSecret(secret: string): Promise<CryptoKey> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  // An empty key would sign what anybody can.
  if (key === null || key.length === 0) throw new WebhookVerificationError('The secret is not whsec_ and base64, as createWebhook answers it.');
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
