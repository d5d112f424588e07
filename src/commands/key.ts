import type { Command } from 'commander';
import { KEY_ROLES, type KeyRole } from '../domain/projects/api-key.ts';
import { JSON_OPTION, oneOf, timestamp } from './support/arguments.ts';
import { print, printJson } from './support/print.ts';
import { printTable } from './support/table.ts';
import { withProjects } from './support/with-database.ts';

/** Registers `key`. */
export function addKeyCommand(program: Command): void {
  const key = program.command('key').description('API keys of a project');
  key
    .command('create')
    .description('create a key; it is shown once')
    .argument('<project>', 'id of the project')
    .option('-r, --role <role>', 'read, server or operator', oneOf(KEY_ROLES), 'server' as KeyRole)
    .option('-l, --label <label>', 'purpose of the key')
    .option('--expires <timestamp>', 'expiry, such as 2027-01-31T00:00:00Z', timestamp)
    .option(...JSON_OPTION)
    .action(createKey);
  key
    .command('revoke')
    .description('revoke a key')
    .argument('<project>', 'id of the project')
    .argument('<key>', 'id of the key (key list shows it)')
    .option(...JSON_OPTION)
    .action(revokeKey);
  key
    .command('list')
    .description('list keys with their state')
    .argument('<project>', 'id of the project')
    .option(...JSON_OPTION)
    .action(listKeys);
}

async function createKey(
  projectId: string,
  options: { role: KeyRole; label?: string; expires?: Date; json?: boolean },
): Promise<void> {
  const key = await withProjects((projects) =>
    projects.createKey(projectId, options.role, { label: options.label, expiresAt: options.expires }),
  );
  if (options.json)
    return printJson({ key_id: key.keyId, key: key.key, prefix: key.prefix, role: options.role });
  print(`Key with the role ${options.role}, shown only once:\n\n  ${key.key}\n\nIts id is ${key.keyId}.`);
}

async function revokeKey(projectId: string, keyId: string, options: { json?: boolean }): Promise<void> {
  const revokedAt = await withProjects((projects) => projects.revokeKey(projectId, keyId));
  if (options.json) return printJson({ key_id: keyId, revoked_at: revokedAt });
  print(`Revoked ${keyId}. All gateways reject it within a second.`);
}

async function listKeys(projectId: string, options: { json?: boolean }): Promise<void> {
  const rows = await withProjects((projects) => projects.keysOf(projectId));
  const shown = rows.map(({ hash: _hash, ...row }) => row);
  if (options.json) return printJson(shown);
  if (shown.length === 0) return print('No keys yet.');
  printTable(
    ['ID', 'PREFIX', 'ROLE', 'STATE', 'LABEL'],
    shown.map((row) => [row.key_id, row.prefix, row.role, stateOf(row), row.label]),
  );
}

function stateOf(key: {
  revoked_at: Date | null;
  expires_at: Date | null;
  last_used_at: Date | null;
}): string {
  if (key.revoked_at) return `revoked ${key.revoked_at.toISOString().slice(0, 16)}`;
  if (key.expires_at && key.expires_at <= new Date())
    return `expired ${key.expires_at.toISOString().slice(0, 16)}`;
  return key.last_used_at ? `last used ${key.last_used_at.toISOString().slice(0, 16)}` : 'never used';
}
