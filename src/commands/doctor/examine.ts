import { access, constants } from 'node:fs/promises';
import { type EmailDataReport, listEmailData } from '@vouchgraph/email/data-commands';
import { loadDomainLists } from '@vouchgraph/email/domain-lists';
import { hasDatabase } from '@vouchgraph/embedded-postgres';
import { loadPhoneRanges } from '@vouchgraph/phone/phone-ranges';
import { openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { count, counted } from '@vouchgraph/terminal';
import { missingVisionPackages } from '@vouchgraph/vision';
import type { Config } from '../../config.ts';
import { pendingMigrations } from '../../storage/migrate.ts';

/** Result of one check. `off` does not prevent a start, but some signals see less. */
export type Finding = { check: string; state: 'ok' | 'off' | 'broken'; says: string; affects: string[] };

/**
 * Checks everything that the service needs. Reports missing parts and their effect. `database` provides a connection string
 * for the duration of the work, and throws without one.
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
    ...(await examineEmailProviders(config)),
    ...examinePhoneRanges(),
    ...examineVision(),
  ];
}

async function examineFolder({ dataDir }: Config): Promise<Finding[]> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK);
    return [ok('data folder', 'DATA_DIR can be read and written')];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [ok('data folder', 'DATA_DIR does not exist; the first start creates it')];
    return [broken('data folder', `DATA_DIR cannot be used (${code})`)];
  }
}

async function examineDatabase(
  config: Config,
  database: (work: (connectionString: string) => Promise<Finding[]>) => Promise<Finding[]>,
): Promise<Finding[]> {
  // The check must not create one.
  if (config.databaseUrl === undefined && !(await hasDatabase(config.dataDir)))
    return [ok('database', 'does not exist; the first start creates it')];
  try {
    return await database(async (connectionString) => {
      const pending = await pendingMigrations({ connectionString });
      const says =
        pending.length === 0
          ? 'connected, schema of this version'
          : `connected; the next start applies ${pending.join(', ')}`;
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
      says: optionalText(source) ?? sourceText(source),
      affects: source.available ? [] : source.affects,
    }));
  } finally {
    network.close();
  }
}

/** What works without a list of a kind, of which none is included. */
const WITHOUT_LIST: Readonly<Record<string, string>> = {
  'feed_kind:proxy': 'other signs of proxies, such as time zones and round trips, are evaluated',
  'feed_kind:datacenter': 'networks of hosting companies are detected by their ASN',
  'feed_kind:fraud': 'Fake decisions of the project on the same network are evaluated',
};

/** The text of a kind of list that an operator can add; null for an available one and for other sources. */
function optionalText({ name, available }: { name: string; available: boolean }): string | null {
  const works = WITHOUT_LIST[name];
  return available || works === undefined ? null : `no list, which is optional: ${works}`;
}

function sourceText(source: {
  available: boolean;
  dataVersion: string | null;
  entries?: number;
  badLines?: number;
  error?: string | null;
}): string {
  const parts = [
    source.available ? (source.dataVersion ? `data of ${source.dataVersion}` : 'available') : 'not available',
    ...(source.entries === undefined ? [] : [`${source.entries} ranges`]),
    ...(source.badLines ? [`${counted(source.badLines, 'bad line')}`] : []),
    ...(source.error ? [`${source.error}; a running gateway continues to use the previous list`] : []),
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
        `${count(disposable.size)} disposable, ${count(relay.size)} of relays, ${count(personal.size)} of mailbox providers`,
      ),
    ];
  } catch {
    return [broken('mail domains', 'the lists cannot be read: run npm ci again')];
  }
}

/** The providers of breaches and profiles. Online providers are not queried: it would cost one of their requests. */
async function examineEmailProviders({ emailDataDir, emailProviders }: Config): Promise<Finding[]> {
  const data = await listEmailData(emailDataDir).then(
    (reports) => reports.map(findingOfData),
    (error: Error) => [broken('email data', error.message)],
  );
  const { hibp, gravatar } = emailProviders;
  return [
    ...(data.length > 0
      ? data
      : [off('email data', 'none is imported', ['email breaches', 'email profiles'])]),
    hibp
      ? ok('email hibp', `HIBP_API_KEY is set; at most ${hibp.requests} requests per minute`)
      : off('email hibp', 'HIBP_API_KEY is not set', ['email breaches']),
    gravatar
      ? ok('email gravatar', `GRAVATAR_API_KEY is set; at most ${gravatar.requests} requests per hour`)
      : off('email gravatar', 'GRAVATAR_API_KEY is not set', ['email profiles']),
  ];
}

function findingOfData({ name, kind, error, as_of, ...counts }: EmailDataReport): Finding {
  const check = `email data:${name}`;
  if (error !== null) return broken(check, `${error}; a running gateway continues to use the previous data`);
  const hashes = counts.sha1_hashes + counts.sha256_hashes;
  const date = as_of === null ? '' : `, as of ${as_of}`;
  const bad = counts.bad_lines > 0 ? `, ${counted(counts.bad_lines, 'bad line')}` : '';
  return ok(check, `${counted(hashes, 'hash', 'hashes')} of ${kind}${date}${bad}`);
}

function off(check: string, says: string, affects: string[]): Finding {
  return { check, state: 'off', says, affects };
}

function examinePhoneRanges(): Finding[] {
  const { source, carriers, regions } = loadPhoneRanges();
  if (source === null)
    return [
      {
        check: 'phone ranges',
        state: 'off',
        says: 'the file of number ranges cannot be read',
        affects: ['phone.carrier_name', 'phone.region'],
      },
    ];
  return [
    ok('phone ranges', `${count(carriers.size)} prefixes of carriers, ${count(regions.size)} of regions`),
  ];
}

function examineVision(): Finding[] {
  const missing = missingVisionPackages();
  return missing.length === 0
    ? [ok('images', 'the packages that read images are installed')]
    : [off('images', `not installed: ${missing.join(', ')}; "npm ci" installs them`, ['verifications'])];
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
    const verb = check in WITHOUT_LIST ? 'a list adds to' : 'affects';
    const less = affects.length > 0 ? `; ${verb} ${affects.join(', ')}` : '';
    return `${state.padEnd(6)}  ${check.padEnd(width)}  ${says}${less}`;
  });
}
