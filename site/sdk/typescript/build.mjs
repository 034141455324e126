// Builds the package: npm run build -- [folder]. Without a folder, it only writes dist/ next to
// this file.
//
// The types are generated from the API description, so that a method that does not match the
// description does not compile.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? here);
const description = join(here, '../../../edge/openapi/openapi.yaml');
const require = createRequire(import.meta.url);

// program returns the file that a command of a package runs.
function program(name, command) {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = require(manifest);
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[command]);
}

function run(...args) {
  execFileSync(process.execPath, args, { cwd: here, stdio: ['ignore', 'inherit', 'inherit'] });
}

run(program('openapi-typescript', 'openapi-typescript'), description, '--output', join(here, 'src/schema.ts'));
run(program('typescript', 'tsc'), '--project', 'tsconfig.browser.json'); // browser code must not use Node's APIs
await rm(join(out, 'dist'), { recursive: true, force: true });
run(program('typescript', 'tsc'), '--project', 'tsconfig.json', '--outDir', join(out, 'dist'));

if (out !== here) {
  await mkdir(out, { recursive: true });
  const { scripts, ...manifest } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
  await writeFile(join(out, 'package.json'), JSON.stringify(manifest, null, 2) + '\n');
  await copyFile(join(here, 'README.md'), join(out, 'README.md'));
  await copyFile(join(here, '../../../LICENSE'), join(out, 'LICENSE'));
}
