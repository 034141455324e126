/** The version of this library, which is the version of the API description that it supports. */
export const version = '0.19.0';
