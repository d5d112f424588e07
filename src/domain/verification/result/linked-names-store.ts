import type { ProjectDatabase, Statement } from '../../../storage/database.ts';

const FIND_LINKED: Statement = {
  name: 'verification.find_linked',
  text: `select a.id, a.account_id, l.kinds from links l join accounts a on a.project_id = $1 and a.id = l.linked_account_id
         where l.project_id = $1 and l.account_id = $2
         order by l.score desc, l.linked_account_id desc limit $3`,
};

export type LinkedName = { id: string; accountId: string; kinds: number };

/** Whom an account is linked to, as the client calls them, the strongest first. */
export async function findLinkedNames(
  database: ProjectDatabase,
  account: string,
  limit: number,
): Promise<LinkedName[]> {
  const rows = await database.query(FIND_LINKED, [database.projectId, account, limit]);
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, kinds: row.kinds }));
}
