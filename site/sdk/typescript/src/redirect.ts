import { ProtocolError, readError } from './errors.js';
import type { Fetch, FetchRequest } from './options.js';

/** How many redirects are followed. */
const most = 5;

/** A request whose redirects are for follow to decide about. */
type Request = Omit<FetchRequest, 'redirect'>;

/**
 * Asks, and follows redirects of reads: an entity that got another slug answers with
 * one. Where one leads to another origin the key does not go there: fetch itself would
 * take it along, since it knows no other secrets than Authorization and cookies.
 */
export async function follow(fetch: Fetch, address: string, request: Request): Promise<Response> {
  const reads = request.method === 'GET';
  if (reads && !('x-api-key' in request.headers)) return fetch(address, { ...request, redirect: 'follow' });
  for (let redirects = 0; redirects <= most; redirects++) {
    const response = await fetch(address, { ...request, redirect: 'manual' });
    const location = response.headers.get('location');
    const hidden = response.type === 'opaqueredirect'; // a browser does not say where it leads
    if (!hidden && !(location !== null && [301, 302, 303, 307, 308].includes(response.status))) return response;
    if (!reads) throw new ProtocolError(`The server redirects ${request.method} ${address}, and a write is not sent to another address. Is baseUrl right?`);
    await response.body?.cancel();
    const next = hidden ? await destination(fetch, address, request) : new URL(location ?? '', address).href;
    if (new URL(next).origin !== new URL(address).origin) {
      const { 'x-api-key': _, ...headers } = request.headers;
      return follow(fetch, next, { ...request, headers });
    }
    address = next;
  }
  throw new ProtocolError(`The server redirects ${address} more than ${most} times.`);
}

/** Where a browser ends up that asks without the key. */
async function destination(fetch: Fetch, address: string, request: Request): Promise<string> {
  const response = await fetch(address, { method: 'HEAD', headers: {}, signal: request.signal, redirect: 'follow' });
  if (!response.redirected) throw await readError(response); // such as 429, of the address
  return response.url;
}
