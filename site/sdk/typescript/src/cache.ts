/** A cached response, which is revalidated before each use. */
export interface Kept {
  readonly etag: string;
  readonly text: string;
}

/**
 * Cache keeps responses in memory, up to a number of responses and a total number of
 * characters. It evicts the least recently used responses first.
 */
export class Cache {
  readonly #kept = new Map<string, Kept>(); // least recently used first
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxEntries: number, maxCharacters: number) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  /** Returns the cached response for an address, and marks it as used. */
  get(address: string): Kept | undefined {
    const kept = this.#kept.get(address);
    if (kept !== undefined) {
      this.#kept.delete(address);
      this.#kept.set(address, kept);
    }
    return kept;
  }

  /** Caches a response in place of the previous one, unless it is too large. */
  set(address: string, kept: Kept): void {
    this.#drop(address);
    if (kept.text.length > this.#maxCharacters / 4) return; // it would evict too many other responses
    this.#kept.set(address, kept);
    this.#characters += kept.text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) break;
      this.#drop(oldest);
    }
  }

  #drop(address: string): void {
    this.#characters -= this.#kept.get(address)?.text.length ?? 0;
    this.#kept.delete(address);
  }
}
