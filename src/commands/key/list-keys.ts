import { noneText, print, printJson, printTable, snakeKeys, wordOf } from '@vouchgraph/terminal';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { API_KEYS } from './documents.ts';

type Key = {
  keyId: string;
  prefix: string;
  label: string | null;
  role: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
};

/** Prints all keys of the project, the newest first. */
export async function listKeys(api: Api, { json }: { json?: boolean }): Promise<void> {
  const edges = await readEdges(Number.POSITIVE_INFINITY, async (page) => {
    const { apiKeys } = await api.run<{ apiKeys: Connection<{ node: Key }> }>(API_KEYS, page);
    return apiKeys;
  });
  const keys = edges.map(({ node }) => ({ ...node, role: wordOf(node.role) }));
  if (json) return printJson(keys.map(snakeKeys));
  if (keys.length === 0) return print(noneText('keys'));
  printTable(
    ['ID', 'PREFIX', 'ROLE', 'STATE', 'LABEL'],
    keys.map((key) => [key.keyId, key.prefix, key.role, stateOf(key), key.label ?? '']),
  );
}

function stateOf({ revokedAt, expiresAt, lastUsedAt }: Key): string {
  if (revokedAt !== null) return `revoked ${revokedAt.slice(0, 16)}`;
  if (expiresAt !== null && new Date(expiresAt) <= new Date()) return `expired ${expiresAt.slice(0, 16)}`;
  return lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.slice(0, 16)}`;
}
