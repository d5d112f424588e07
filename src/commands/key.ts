import { print, printJson } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import { KEY_ROLES, type KeyRole } from '../domain/projects/api-key.ts';
import { JSON_OPTION, oneOf, timestamp } from './support/arguments.ts';
import {
  addProjectOptions,
  inLocalProject,
  inProject,
  type LocalProject,
  localProjectCommand,
  projectCommand,
  REMOTE_HELP,
} from './support/project-command.ts';

/** Registers `key`. */
export function addKeyCommand(program: Command): void {
  const key = program.command('key').description('API keys of a project');
  key.addHelpText(
    'after',
    `${REMOTE_HELP}

Keys are created and revoked in the local database only: no API key can create another one.`,
  );
  localProjectCommand(key, 'create', 'create a key; it is shown once')
    .option('-r, --role <role>', 'read, server or operator', oneOf(KEY_ROLES), 'server' as KeyRole)
    .option('-l, --label <label>', 'purpose of the key')
    .option('--expires <timestamp>', 'expiry, such as 2027-01-31T00:00:00Z', timestamp)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph key create PROJECT_ID --role server --label backend
  vouchgraph key create PROJECT_ID --role operator --expires 2027-01-31`,
    )
    .action(inLocalProject(1, createKey));
  localProjectCommand(key, 'revoke', 'revoke a key')
    .argument('<key>', 'id of the key (key list shows it)')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph key revoke PROJECT_ID KEY_ID')
    .action(inLocalProject(1, revokeKey));
  addProjectOptions(projectCommand(key, 'list', 'list keys with their state'))
    .addHelpText('after', '\nExample:\n  vouchgraph key list PROJECT_ID --json')
    .action(
      inProject(
        () => import('./key/list-keys.ts'),
        ({ listKeys }) => listKeys,
      ),
    );
}

async function createKey(
  { viewer, storage }: LocalProject,
  options: { role: KeyRole; label?: string; expires?: Date; json?: boolean },
): Promise<void> {
  const { role, label, expires: expiresAt } = options;
  const key = await storage.projects.createKey(viewer.project.projectId, role, { label, expiresAt });
  if (options.json) return printJson({ key_id: key.keyId, key: key.key, prefix: key.prefix, role });
  print(`Key with the role ${role}, shown only once:`, '', `  ${key.key}`, '', `Its id is ${key.keyId}.`);
}

async function revokeKey(
  { viewer, storage }: LocalProject,
  { json }: { json?: boolean },
  keyId: string,
): Promise<void> {
  const revokedAt = await storage.projects.revokeKey(viewer.project.projectId, keyId);
  if (json) return printJson({ key_id: keyId, revoked_at: revokedAt });
  print(`Revoked ${keyId}. All gateways reject it within a second.`);
}
