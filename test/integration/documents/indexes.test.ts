import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { readDocument } from '../../support/documents.ts';

it('docs/indexes.md names every index of its tables, and no other', async () => {
  const sections = readDocument('docs/indexes.md').split(/^## /m).slice(1);
  const documented = sections
    .map((section) => ({
      table: section.slice(0, section.indexOf('\n')),
      indexes: [...section.matchAll(/^### (\w+)/gm)].map(([, name]) => name!).sort(),
    }))
    .filter(({ indexes }) => indexes.length > 0);
  expect(documented.length).toBeGreaterThan(10);
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select tablename as table, array_agg(indexname::text order by indexname::text collate "C") as indexes
       from pg_indexes where tablename = any($1) group by tablename`,
      [documented.map(({ table }) => table)],
    );
    const actual = new Map(rows.map(({ table, indexes }) => [table, indexes]));
    for (const { table, indexes } of documented)
      expect({ table, indexes }).toEqual({ table, indexes: actual.get(table) });
  } finally {
    await client.end();
    await database.drop();
  }
});
