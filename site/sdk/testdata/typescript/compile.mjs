// Compiles the sources of the client with the types of several descriptions, and prints the
// compiler's errors for each: node compile.mjs descriptions.json
// The sources are in package/. One process compiles all of them, because most of the work,
// reading the declarations of the language and of Node, is the same for each.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const schema = resolve('package/src/schema.ts');
const config = ts.getParsedCommandLineOfConfigFile('package/tsconfig.json', { noEmit: true }, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error });
const host = ts.createCompilerHost(config.options);
const { getSourceFile, fileExists } = host;
const files = new Map();
let text = '';
host.fileExists = (name) => resolve(name) === schema || fileExists(name);
host.getSourceFile = (name, ...rest) => {
  if (resolve(name) === schema) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  if (!files.has(name)) files.set(name, getSourceFile(name, ...rest));
  return files.get(name);
};

const complaints = [];
let program;
for (const description of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  text = astToString(await openapiTS(description));
  program = ts.createProgram([...new Set([...config.fileNames, schema])], config.options, host, program);
  complaints.push(ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host));
}
console.log(JSON.stringify(complaints));
