import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const schema = buildSchema(readFileSync(path.join(ROOT, 'schema.graphql'), 'utf8'));

describe.each(globSync('*/documents.ts', { cwd: import.meta.dirname }))('src/commands/%s', async (file) => {
  const documents = Object.entries<string>(await import(path.join(import.meta.dirname, file)));
  it.each(documents)('%s is valid in the public schema', (_name, text) => {
    expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
  });
});
