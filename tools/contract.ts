import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureBuilt } from './build/ensure-built.ts';
import { type Contract, checkContract } from './contract/check.ts';
import { readReleased, writeReleased } from './contract/released.ts';

/*
 * `node tools/contract.ts check` compares schema.graphql and openapi.json with those of the last release;
 * `node tools/contract.ts release` keeps them as those of the version in package.json.
 */
const ROOT = path.resolve(import.meta.dirname, '..');
const RELEASED = path.join(ROOT, 'contract/released');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

await ensureBuilt();
const { openApiDocument } = await import('../src/http/rest/openapi/openapi.ts');
const current: Contract = {
  version: JSON.parse(read('package.json')).version,
  schema: read('schema.graphql'),
  openapi: JSON.parse(JSON.stringify(openApiDocument('https://gateway.example'))),
};

switch (process.argv[2]) {
  case 'check': {
    const { isKept, lines } = checkContract(readReleased(RELEASED), current, read('CHANGELOG.md'));
    for (const line of lines) console.log(line);
    process.exitCode = isKept ? 0 : 1;
    break;
  }
  case 'release':
    writeReleased(RELEASED, current);
    console.log(`contract/released has the interfaces of ${current.version}.`);
    break;
  default:
    console.error('Usage: node tools/contract.ts check|release');
    process.exitCode = 2;
}
