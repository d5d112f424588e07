import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type FieldNode, type OperationDefinitionNode, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { rootField } from './support/remote-api.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const schema = buildSchema(readFileSync(path.join(ROOT, 'schema.graphql'), 'utf8'));

describe.each(globSync('*/documents.ts', { cwd: import.meta.dirname }))('src/commands/%s', async (file) => {
  const documents = Object.entries<string>(await import(path.join(import.meta.dirname, file)));
  it.each(documents)('%s is valid in the public schema', (_name, text) => {
    expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
  });

  it.each(documents)('%s has one field', (_name, text) => {
    const [operation] = parse(text).definitions as [OperationDefinitionNode];
    const fields = operation.selectionSet.selections as readonly FieldNode[];
    expect(fields.map(({ alias, name }) => (alias ?? name).value)).toEqual([rootField(text)]);
  });
});
