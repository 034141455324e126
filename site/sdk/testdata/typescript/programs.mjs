// Compiles what several configurations select: node programs.mjs TYPES tsconfig.json...
// TYPES is the folder with the declarations of Node.
import { compile } from '../../typescript/build.mjs';

const [typeRoot, ...configs] = process.argv.slice(2);
const problems = configs.map((config) => compile(config, { typeRoots: [typeRoot] })).join('');
if (problems) {
  console.error(problems);
  process.exit(1);
}
