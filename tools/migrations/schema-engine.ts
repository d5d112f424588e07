/**
 * Prisma's schema engine as WebAssembly, on an in-memory PostgreSQL (PGlite).
 *
 * The native engine is a binary that npm does not carry, so `prisma migrate diff` cannot run where only a package
 * registry can be reached. The WebAssembly build is the same engine: it talks to the database through a driver
 * adapter, which this file provides. It is for authoring and for the drift check only. Migrations are applied by
 * src/storage/migrate.ts.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { PGlite } from '@electric-sql/pglite';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';

/** PostgreSQL type OID → the column type numbers of Prisma's driver adapters (ColumnTypeEnum). */
const COLUMN_TYPES: Record<number, number> = {
  16: 5, // bool
  17: 13, // bytea
  18: 6, // "char"
  19: 7, // name
  20: 1, // int8
  21: 0, // int2
  23: 0, // int4
  25: 7, // text
  26: 1, // oid
  700: 2, // float4
  701: 3, // float8
  1002: 70, // "char"[]
  1003: 71, // name[]
  1005: 64, // int2[]
  1007: 64, // int4[]
  1009: 71, // text[]
  1016: 65, // int8[]
  1028: 65, // oid[]
  1042: 6, // bpchar
  1043: 7, // varchar
  1114: 10, // timestamp
  1184: 10, // timestamptz
  2205: 7, // regclass
};

const INT64_OIDS = new Set([20, 26]);

type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };
type Query = { sql: string; args: unknown[] };

async function outcome(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    const { code = 'N/A', message } = error as { code?: string; message: string };
    return { ok: false, error: { kind: 'postgres', code, severity: 'ERROR', message } };
  }
}

function columnType(oid: number, column: string): number {
  const type = COLUMN_TYPES[oid];
  if (type === undefined)
    throw new Error(
      `column ${column} has type OID ${oid}, which tools/migrations/schema-engine.ts does not map`,
    );
  return type;
}

async function queryRaw(database: PGlite, { sql, args }: Query) {
  const { fields, rows } = await database.query<unknown[]>(sql, args, { rowMode: 'array' });
  return {
    columnNames: fields.map((field) => field.name),
    columnTypes: fields.map((field) => columnType(field.dataTypeID, field.name)),
    // The engine reads 64-bit integers from strings.
    rows: rows.map((row) =>
      row.map((value, i) =>
        value !== null && INT64_OIDS.has(fields[i]?.dataTypeID ?? 0) ? String(value) : value,
      ),
    ),
  };
}

function adapterFor(database: PGlite) {
  const info = { provider: 'postgres', adapterName: '@prisma/adapter-pg' };
  const queries = {
    ...info,
    queryRaw: (query: Query) => outcome(() => queryRaw(database, query)),
    executeRaw: (query: Query) =>
      outcome(async () => (await database.query(query.sql, query.args)).affectedRows ?? 0),
  };
  const refuse = (what: string) => () =>
    outcome(() => Promise.reject(new Error(`${what} is not part of authoring`)));
  const adapter = {
    ...queries,
    executeScript: (script: string) => outcome(() => database.exec(script)),
    startTransaction: refuse('a transaction'),
    getConnectionInfo: () => ({ ok: true, value: { schemaName: 'public', supportsRelationJoins: true } }),
    dispose: () => outcome(async () => undefined),
    errorRegistry: { consumeError: () => undefined },
  };
  return {
    ...info,
    connect: () => outcome(async () => adapter),
    connectToShadowDb: refuse('a shadow database'),
    errorRegistry: adapter.errorRegistry,
  };
}

/** The little of WebAssembly that is used; its types come with those of a browser, which this project leaves out. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: object } }>;
};

async function loadEngine(): Promise<void> {
  const file = createRequire(import.meta.url)
    .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    .replace(/\.js$/, '.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': engine,
  });
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start: () => void }).__wbindgen_start();
}

/** The SQL that turns the database into what the Prisma schema describes; empty when they agree. */
export async function diffToSchema(
  database: PGlite,
  schema: { path: string; content: string },
): Promise<string> {
  await loadEngine();
  const files = [schema];
  const schemaEngine = await engine.SchemaEngine.new(
    { datamodels: [[schema.path, schema.content]] },
    () => {},
    adapterFor(database),
  );
  const result = await schemaEngine.diff({
    from: { tag: 'schemaDatasource', files, configDir: '.' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return result.stdout ?? '';
}
