// Builds the package in a folder, then compiles its sources with the types of several descriptions,
// and prints the compiler's errors for each: node compile.mjs FOLDER descriptions.json
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, compile, types } from '../../typescript/build.mjs';

const [folder, descriptions] = process.argv.slice(2);
await build(folder);
const config = fileURLToPath(new URL('../../typescript/tsconfig.json', import.meta.url));
const complaints = [];
for (const description of JSON.parse(readFileSync(descriptions, 'utf8'))) {
  complaints.push(compile(config, { noEmit: true }, await types(description)));
}
console.log(JSON.stringify(complaints));
