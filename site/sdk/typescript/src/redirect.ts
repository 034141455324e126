import { ProtocolError, readError } from './errors.js';
import type { Fetch, FetchRequest } from './options.js';

/** The maximum number of redirects to follow. */
const most = 5;

/** A request without a redirect mode, which `follow` sets. */
type Request = Omit<FetchRequest, 'redirect'>;

/**
 * Sends a request, and follows redirects of reads, such as those from an entity's former
 * address. A redirect to a different origin is followed without the key. fetch itself would
 * send the key, because it withholds only Authorization and cookies.
 */
export async function follow(fetch: Fetch, address: string, request: Request): Promise<Response> {
  const reads = request.method === 'GET';
  if (reads && !('x-api-key' in request.headers)) return fetch(address, { ...request, redirect: 'follow' });
  for (let redirects = 0; redirects <= most; redirects++) {
    const response = await fetch(address, { ...request, redirect: 'manual' });
    const location = response.headers.get('location');
    const hidden = response.type === 'opaqueredirect'; // browsers hide the destination
    if (!hidden && !(location !== null && [301, 302, 303, 307, 308].includes(response.status))) return response;
    if (!reads) throw new ProtocolError(`The server redirects ${request.method} ${address}, but redirects of writes are not followed. Is baseUrl correct?`);
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

/** Returns the destination of redirects in a browser, by following them without the key. */
async function destination(fetch: Fetch, address: string, request: Request): Promise<string> {
  const response = await fetch(address, { method: 'HEAD', headers: {}, signal: request.signal, redirect: 'follow' });
  if (!response.redirected) throw await readError(response); // such as a 429 for the IP address
  return response.url;
}
