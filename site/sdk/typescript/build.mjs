// Builds the package: npm run build -- [folder]. Without a folder, it only writes dist/ next to
// this file.
//
// The types are generated from the API description, so that a method that does not match the
// description does not compile.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import ts from 'typescript';

const here = dirname(fileURLToPath(import.meta.url));
const schema = join(here, 'src/schema.ts');

// types returns the types that a description, the text of a YAML document, defines.
export async function types(description) {
  return COMMENT_HEADER + astToString(ts.transform(await openapiTS(description), [bodies]).transformed);
}

// bodies leaves out the headers and the responses other than successful ones, a third of all types.
function bodies(context) {
  const visit = (node) => {
    const name = ts.isPropertySignature(node) ? node.name.text : '';
    if (/^(headers?|cookie|206|[345]\d\d)$/.test(name)) return undefined;
    const kept = ts.visitEachChild(node, visit, context);
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'components') return kept;
    return ts.factory.updateInterfaceDeclaration(kept, kept.modifiers, kept.name, undefined, undefined, kept.members.filter((m) => m.name.text !== 'responses'));
  };
  return (node) => ts.visitNode(node, visit);
}

// Compilations share the files they read, because most of their work is parsing the declarations
// of the language and of Node.
const parsed = new Map();

// compile compiles the files that a configuration selects, and returns the compiler's errors. If
// types are given, they replace the generated ones.
export function compile(config, options = {}, types = undefined) {
  const selected = ts.getParsedCommandLineOfConfigFile(config, options, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error });
  const host = ts.createCompilerHost(selected.options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, target, ...rest) => {
    if (types !== undefined && resolve(name) === schema) return ts.createSourceFile(name, types, target);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, target, ...rest));
    return parsed.get(name);
  };
  const program = ts.createProgram(selected.fileNames, selected.options, host);
  const problems = [...selected.errors, ...ts.getPreEmitDiagnostics(program)];
  if (problems.length === 0 && !selected.options.noEmit) problems.push(...program.emit().diagnostics);
  return ts.formatDiagnostics(problems, host);
}

// build builds the package in a folder.
export async function build(out) {
  await writeFile(schema, await types(await readFile(join(here, '../../../edge/openapi/openapi.yaml'), 'utf8')));
  await rm(join(out, 'dist'), { recursive: true, force: true });
  const problems = compile(join(here, 'tsconfig.browser.json')) // browser code must not use Node's APIs
    || compile(join(here, 'tsconfig.json'), { outDir: join(out, 'dist') });
  if (problems) throw new Error(problems);
  if (out === here) return;
  await mkdir(out, { recursive: true });
  const { scripts, ...manifest } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
  await writeFile(join(out, 'package.json'), JSON.stringify(manifest, null, 2) + '\n');
  await copyFile(join(here, 'README.md'), join(out, 'README.md'));
  await copyFile(join(here, '../../../LICENSE'), join(out, 'LICENSE'));
}

if (resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await build(resolve(process.argv[2] ?? here));
