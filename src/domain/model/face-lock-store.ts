import type { Statement } from '../../storage/database.ts';

/**
 * A transaction that adds a face to a project holds this until its commit: change numbers then come in the order of commits, and
 * of two sessions with one face the second sees the first. Before the locks of accounts, as everywhere.
 */
export const LOCK_FACES: Statement = {
  name: 'face.lock',
  text: `select pg_advisory_xact_lock(hashtextextended('faces ' || $1::text, 0))`,
};
