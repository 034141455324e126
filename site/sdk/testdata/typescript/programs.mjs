// Compiles what several configurations select: node programs.mjs TYPES tsconfig.json...
// TYPES is the folder with the declarations of Node, or "" to only leave out the types without checking them.
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import { compile } from '../../typescript/build.mjs';

// transpile writes the programs that a configuration selects as JavaScript.
function transpile(config) {
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(config, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error });
  if (fileNames.length === 0) return `${config} selects no program`;
  for (const name of fileNames) {
    const compilerOptions = { ...options, module: ts.ModuleKind.ESNext };
    writeFileSync(name.replace(/ts$/, 'js'), ts.transpileModule(readFileSync(name, 'utf8'), { compilerOptions }).outputText);
  }
  return '';
}

const [types, ...configs] = process.argv.slice(2);
const problems = configs.map((config) => types ? compile(config, { typeRoots: [types] }) : transpile(config)).join('');
if (problems) {
  console.error(problems);
  process.exit(1);
}
