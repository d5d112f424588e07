import { lockByName } from '../../storage/locks.ts';

/**
 * A transaction that adds a face to a project holds this until its commit: change numbers then come in the order of commits, and
 * of two sessions with one face the second sees the first. Before the locks of accounts, as everywhere.
 */
export const LOCK_FACES = lockByName('face.lock', 'faces');
