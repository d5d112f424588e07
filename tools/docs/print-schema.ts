import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../src/graphql/schema.ts';

/** Writes schema.graphql, which is committed: a change of the interface shows in its diff. */
writeFileSync(
  new URL('../../schema.graphql', import.meta.url),
  `${printSchema(lexicographicSortSchema(schema))}\n`,
);
