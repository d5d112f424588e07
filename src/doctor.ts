import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import type { Config } from './config.ts';
import { loadDomainLists } from './domain/email/domain-lists.ts';
import { openNetworkIntelligence } from './domain/signals/network-intelligence.ts';
import { pendingMigrations } from './storage/migrate.ts';

/** One thing that was looked at. `off` keeps nothing from starting: some signals see less. */
export type Finding = { check: string; state: 'ok' | 'off' | 'broken'; says: string; affects: string[] };

/**
 * Looks at all that the service needs, and says what is missing and what that costs. `database` gives a connection
 * string for as long as the work takes; it throws what keeps it from that.
 */
export async function examine(
  config: Config,
  database: (work: (connectionString: string) => Promise<Finding[]>) => Promise<Finding[]>,
): Promise<Finding[]> {
  return [
    ...(await examineFolder(config)),
    ...(await examineDatabase(config, database)),
    ...(await examineSources(config)),
    ...examineLists(),
  ];
}

async function examineFolder({ dataDir }: Config): Promise<Finding[]> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK);
    return [ok('data folder', 'DATA_DIR can be read and written')];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [ok('data folder', 'DATA_DIR is not there yet; the first start makes it')];
    return [broken('data folder', `DATA_DIR cannot be used (${code})`)];
  }
}

async function examineDatabase(
  config: Config,
  database: (work: (connectionString: string) => Promise<Finding[]>) => Promise<Finding[]>,
): Promise<Finding[]> {
  // Looking must not make one.
  if (config.databaseUrl === undefined && !existsSync(config.dataDir))
    return [ok('database', 'not there yet; the first start makes it')];
  try {
    return await database(async (connectionString) => {
      const pending = await pendingMigrations({ connectionString });
      const says =
        pending.length === 0
          ? 'answers, and is of this version'
          : `answers; the next start applies ${pending.join(', ')}`;
      return [ok('database', says)];
    });
  } catch (error) {
    return [broken('database', (error as Error).message)];
  }
}

async function examineSources({ feedsDir }: Config): Promise<Finding[]> {
  const network = await openNetworkIntelligence({ feedsDir });
  try {
    return network.status().map((source) => ({
      check: source.name,
      state: source.error ? 'broken' : source.available ? 'ok' : 'off',
      says: sourceText(source),
      affects: source.available ? [] : source.affects,
    }));
  } finally {
    network.close();
  }
}

function sourceText(source: {
  available: boolean;
  dataVersion: string | null;
  entries?: number;
  badLines?: number;
  error?: string | null;
}): string {
  const parts = [
    source.available ? (source.dataVersion ? `data of ${source.dataVersion}` : 'there') : 'not there',
    ...(source.entries === undefined ? [] : [`${source.entries} ranges`]),
    ...(source.badLines ? [`${source.badLines} lines could not be read`] : []),
    ...(source.error ? [`${source.error}; a running gateway keeps the list that it had`] : []),
  ];
  return parts.join(', ');
}

function examineLists(): Finding[] {
  try {
    const { disposable, relay, personal, education } = loadDomainLists();
    if (education.sourceVersion === null)
      return [
        {
          check: 'mail domains',
          state: 'off',
          says: "the file of schools' domains cannot be read",
          affects: ['email.domain_type'],
        },
      ];
    return [
      ok(
        'mail domains',
        `${disposable.size} disposable, ${relay.size} relays, ${personal.size} of mailbox providers`,
      ),
    ];
  } catch {
    return [broken('mail domains', 'the lists cannot be read: run npm ci again')];
  }
}

function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says, affects: [] };
}

function broken(check: string, says: string): Finding {
  return { check, state: 'broken', says, affects: [] };
}

/** The findings as lines for a person. */
export function findingLines(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings.map(({ check, state, says, affects }) => {
    const less = affects.length > 0 ? ` — sees less: ${affects.join(', ')}` : '';
    return `${state.padEnd(6)}  ${check.padEnd(width)}  ${says}${less}`;
  });
}
