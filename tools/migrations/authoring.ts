/**
 * Compares what the migrations make of an empty database with what schema.prisma describes.
 *
 *   node tools/migrations/authoring.ts diff    prints the SQL that is missing, to begin the next migration with
 *   node tools/migrations/authoring.ts drift   the same, and exits 1 when there is any
 *   node tools/migrations/authoring.ts fold    writes what schema.prisma describes into the first migration, before its rest, which
 *                                              is written by hand
 *
 * Roles, policies, partitions, checks, collations and functions are outside Prisma's view: the tests of migrating
 * read those from the catalog.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { type Migration, readMigrations } from '../../src/storage/migrate.ts';
import { statementsOf } from '../../src/storage/migration-file.ts';
import { diffToSchema } from './schema-engine.ts';

const SCHEMA = new URL('../../prisma/schema.prisma', import.meta.url);
const MIGRATIONS = new URL('../../prisma/migrations/', import.meta.url);

/** The SQL that is missing after the migrations; empty when they make exactly what schema.prisma describes. */
async function missingSql(migrations: readonly Migration[]): Promise<string> {
  const database = new PGlite();
  try {
    for (const { sql } of migrations) {
      for (const statement of statementsOf(sql)) await database.exec(statement);
    }
    const schema = { path: 'schema.prisma', content: await readFile(SCHEMA, 'utf8') };
    return statementsOrNothing(await diffToSchema(database, schema));
  } finally {
    await database.close();
  }
}

/** The foreign key of a relation that only queries of Prisma follow: schema.prisma says which, and why. */
const UNCHECKED = /^ALTER TABLE .* ADD CONSTRAINT "unchecked_/;

/** The engine prints a comment, a line before each statement, and a comment alone when nothing is missing. */
function statementsOrNothing(sql: string): string {
  const parts = sql.split(/^(?=-- )/m).filter((part) => !UNCHECKED.test(part.replace(/^--.*\n/, '')));
  const hasStatement = parts
    .join('')
    .split('\n')
    .some((line) => line.trim() !== '' && !line.startsWith('--'));
  return hasStatement ? parts.join('').trim() : '';
}

const BEGIN =
  '-- Generated from prisma/schema.prisma by `npm run db:fold`. Changes belong into schema.prisma, or below.';
const END = '-- End of the generated part.';

/** The end of the definition of the table that is partitioned, which Prisma cannot describe. */
const PARTITIONED = /(CREATE TABLE "outbox_events" \([^;]*\));/;

/** Writes the generated part of the first migration anew. */
async function fold(): Promise<void> {
  const [first] = await readMigrations();
  const [, ...rest] = first?.sql.split(`${END}\n`) ?? [];
  if (!first || rest.length !== 1) throw new Error(`the first migration does not contain "${END}" once`);
  const tables = (await missingSql([])).replace(PARTITIONED, '$1 PARTITION BY RANGE ("created_at");');
  await writeFile(
    new URL(`${first.name}/migration.sql`, MIGRATIONS),
    `${BEGIN}\n\n${tables}\n\n${END}\n${rest[0]}`,
  );
}

async function main(command: string | undefined): Promise<number> {
  if (command !== 'diff' && command !== 'drift' && command !== 'fold') {
    console.error('usage: node tools/migrations/authoring.ts diff|drift|fold');
    return 2;
  }
  if (command === 'fold') {
    await fold();
    return 0;
  }
  const sql = await missingSql(await readMigrations());
  if (sql !== '') console.log(sql);
  if (sql !== '' && command === 'drift') {
    console.error(
      '\nThe migrations do not make what schema.prisma describes: the statements above are missing.',
    );
    return 1;
  }
  if (sql === '') console.log('-- nothing to do: the migrations make what schema.prisma describes');
  return 0;
}

process.exitCode = await main(process.argv[2]);
