const input = './openapi.yaml';
export default {
  client: {input, output: {target: './src/client.ts', client: 'fetch', mode: 'single'}},
  zod: {input, output: {target: './src/zod.ts', client: 'zod', mode: 'single', override: {zod: {strict: {response: true}}}}},
};
