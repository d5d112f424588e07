import type { ProjectDatabase, Statement } from '../../storage/database.ts';

const FIND_SESSION_OF_SECRET: Statement = {
  name: 'verification.find_session_of_secret',
  text: 'select session_id, secret_hash from verification_sessions where project_id = $1 and secret_hash = $2',
};

/** A verification session, found by the hash of its secret. */
export type SessionOfSecret = { readonly session_id: string; readonly secret_hash: Uint8Array };

/** The session whose link has a secret with this hash. */
export async function findSessionOfSecret(
  database: ProjectDatabase,
  secretHash: Buffer,
): Promise<SessionOfSecret | null> {
  const [row] = await database.query(FIND_SESSION_OF_SECRET, [database.projectId, secretHash]);
  return row ?? null;
}
