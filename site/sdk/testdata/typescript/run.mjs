// Runs a program without type checking, which TestTypeScriptReadme does for all programs
// at once: node run.mjs program.ts
// SITE is the folder whose node_modules has the compiler.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = process.argv[2];
const ts = createRequire(join(process.env.SITE, 'package.json'))('typescript');
const { outputText } = ts.transpileModule(readFileSync(program, 'utf8'), {
  compilerOptions: { target: 'ES2022', module: 'ESNext', verbatimModuleSyntax: true },
});
const compiled = program.replace(/\.ts$/, '.mjs');
writeFileSync(compiled, outputText);
await import(pathToFileURL(compiled));
