/** The version of this library, which is that of the description it is made for. */
export const version = '0.8.1';
