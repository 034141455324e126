import { KindexError } from './errors.js';
import type { Name } from './names.js';
import type { paths } from './schema.js';

type Arguments<Operation> = Operation extends { parameters: { path: infer Path } } ? { [Parameter in keyof Path]: Path[Parameter] | Name } : never;

/** The path parameters of an address. */
export type PathArguments<P extends keyof paths> = Arguments<paths[P]['get']> | Arguments<paths[P]['post']> | Arguments<paths[P]['delete']>;

declare const filled: unique symbol;

/** An address in the API description, with its parameters filled in. */
export type Address = keyof paths | (string & { readonly [filled]: true });

/** Fills in the parameters of an address. The compiler checks that they match the address. */
export function path<P extends keyof paths>(template: P, parameters: PathArguments<P>): Address {
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((parameters as Record<string, unknown>)[name]);
    // Slashes in the path of a file are kept.
    const parts = name === 'file' ? value.split('/') : [value];
    if (parts.some((part) => part === '' || part === '.' || part === '..')) {
      throw new KindexError(`${name} is ${JSON.stringify(value)}, which would change the address ${template}.`);
    }
    return parts.map(encodeURIComponent).join('/');
  });
  return address as Address;
}
