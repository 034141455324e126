// Compiles a program as strictly as can be, and runs it: node run.mjs program.ts
// SITE is the folder whose node_modules has the compiler.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const program = process.argv[2];
const modules = join(process.env.SITE, 'node_modules');
const config = {
  compilerOptions: {
    target: 'ES2022', module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2022'], types: ['node'],
    typeRoots: [join(modules, '@types')], strict: true, skipLibCheck: true, noUncheckedIndexedAccess: true,
  },
  files: [program],
};
writeFileSync('tsconfig.json', JSON.stringify(config));
for (const args of [[join(modules, 'typescript/bin/tsc')], [program.replace(/\.ts$/, '.js')]]) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) {
    console.error(readFileSync(program, 'utf8'));
    process.exit(status ?? 1);
  }
}
