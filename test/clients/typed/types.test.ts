import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Kind, parse } from 'graphql';
import ts from 'typescript';
import { expect, it, vi } from 'vitest';
import { scalars } from '../scalars.ts';
import { FOLDER, GENERATED, ROOT } from '../support/folders.ts';

vi.setConfig({ testTimeout: 120_000 });

const config = ts.getParsedCommandLineOfConfigFile(
  path.join(FOLDER, 'tsconfig.json'),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(String(messageText));
    },
  },
);
const program = ts.createProgram(config!.fileNames, config!.options);

it('compiles every client with the generated types', () => {
  const diagnostics = ts.getPreEmitDiagnostics(program);
  const host = {
    getCurrentDirectory: () => FOLDER,
    getCanonicalFileName: (name: string) => name,
    getNewLine: () => '\n',
  };
  expect(ts.formatDiagnostics(diagnostics, host)).toBe('');
});

/** Paths from the exported name at which a type contains `any` or `unknown`. */
function findUntyped(file: string): { untyped: string[]; names: number } {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file)!;
  const untyped: string[] = [];
  const seen = new Set<ts.Type>();
  function visit(type: ts.Type, name: string): void {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) untyped.push(name);
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, name);
    if (!(type.flags & ts.TypeFlags.Object)) return;
    const list = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (list) {
      visit(list, `${name}[]`);
      return;
    }
    const entry = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (entry) visit(entry, `${name}[string]`);
    for (const property of type.getProperties())
      visit(checker.getTypeOfSymbolAtLocation(property, source), `${name}.${property.name}`);
  }
  // Aliases with parameters (Maybe<T>, Exact<T>) are checked where they are used.
  const names = source.statements
    .filter(ts.isTypeAliasDeclaration)
    .filter(({ typeParameters }) => !typeParameters);
  for (const alias of names) visit(checker.getTypeAtLocation(alias.name), alias.name.text);
  return { untyped, names: names.length };
}

it.each(['graphql.ts', 'schema.ts'])('leaves no unknown or any in %s', (name) => {
  const { untyped, names } = findUntyped(path.join(GENERATED, 'typed', name));
  expect(untyped).toEqual([]);
  expect(names).toBeGreaterThan(10);
});

it('reports a scalar without a type', () => {
  // Check of the search: JSON as `unknown` in a type that it reads.
  const { untyped } = findUntyped(path.join(FOLDER, 'typed/untyped.ts'));
  expect(untyped).toEqual(['Untyped.list[].data', 'Untyped.more']);
});

it('has a type for each scalar of the schema, and for no other', async () => {
  const { definitions } = parse(await readFile(path.join(ROOT, 'schema.graphql'), 'utf8'));
  const names = definitions.flatMap((node) =>
    node.kind === Kind.SCALAR_TYPE_DEFINITION ? [node.name.value] : [],
  );
  expect(Object.keys(scalars).sort()).toEqual(names.sort());
});

it('documents the scalars that the clients use', async () => {
  const [documentation, source] = await Promise.all([
    readFile(path.join(ROOT, 'docs/graphql-clients.md'), 'utf8'),
    readFile(path.join(FOLDER, 'scalars.ts'), 'utf8'),
  ]);
  const [, block] = /(\{[^}]*\})/.exec(source)!;
  const lines = (text: string) => text.replace(/^\s+/gm, '');
  expect(lines(documentation)).toContain(`scalars: ${lines(block!)}`);
});
