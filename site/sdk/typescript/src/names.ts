declare const declared: unique symbol;

/**
 * A name that the index declares, but this version of the library does not know; {@link named}
 * makes it. It is accepted in place of the names that are known, such as those of types, fields
 * and sort keys.
 */
export type Name = string & { readonly [declared]: true };

/**
 * Passes a name that this version of the library does not know.
 *
 * @example
 * const glazes = await kindex.listEntities({ type: named('glaze'), sort: named('signal.firings'), extra: { surface: 'matte' } });
 */
export function named(name: string): Name {
  return name as Name;
}

/** Returns a member of a record that this version of the library does not know; undefined if the record lacks it. */
export function member(record: object, name: string): unknown {
  return Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;
}
