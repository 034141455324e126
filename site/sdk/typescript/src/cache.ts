/** An answer that the server is asked about before each use. */
export interface Kept {
  readonly etag: string;
  readonly text: string;
}

/**
 * Cache keeps the latest answers in memory: at most so many, and of so many characters
 * altogether. What was used longest ago goes first.
 */
export class Cache {
  readonly #kept = new Map<string, Kept>(); // in the order of use
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxEntries: number, maxCharacters: number) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  /** Returns what is kept of an address, which counts as a use. */
  get(address: string): Kept | undefined {
    const kept = this.#kept.get(address);
    if (kept !== undefined) {
      this.#kept.delete(address);
      this.#kept.set(address, kept);
    }
    return kept;
  }

  /** Keeps an answer in the place of the one before, unless it is too large. */
  set(address: string, kept: Kept): void {
    this.#drop(address);
    if (kept.text.length > this.#maxCharacters / 4) return; // it would drive out too much
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
