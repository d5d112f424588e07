import { DIFFERING_PARTS } from '@vouchgraph/linking';
import { base62, newId } from '@vouchgraph/platform/ids';
import { encryptSessionFacts } from '@vouchgraph/signals/internals/session/fact-patches';
import { networkHashes } from '@vouchgraph/signals/internals/session/network-hashes';
import { encryptTrace } from '@vouchgraph/signals/internals/session/session-history';
import { assembleSession, type SessionResult } from '@vouchgraph/signals/internals/session/session-result';
import { signalBits } from '@vouchgraph/signals/internals/session/signal-bits';
import type { StoredFacts } from '@vouchgraph/signals/internals/session/stored-facts';
import { type NetworkIntelligence, openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import type { Project } from '../../src/domain/projects/project.ts';
import type { SessionRow } from '../../src/domain/sessions/session-store.ts';
import { type BulkTable, insertRows } from './bulk-insert.ts';
import type { Workbench } from './workbench.ts';

export type MadeSession = { row: SessionRow; result: SessionResult };
/**
 * What identifies the visitor of a session. Sessions of a page have a browser id, and keys of near-equal devices. The assessment
 * is that of a visitor at home in the country; without one it is any.
 */
export type Trace = { ip: string; device: string; browser?: string; country?: string };
export type SessionMaker = (from: Trace, start: Date, open: boolean) => MadeSession;

const USER_AGENTS = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
];
const ADDRESSES = ['90.54.1.1', '86.20.3.4', '81.10.20.30', '8.8.8.8'];
/** An address of a large provider in each country of the model of people. */
const ADDRESS_IN: Readonly<Record<string, string>> = {
  US: '73.162.10.20',
  GB: '86.20.3.4',
  DE: '91.10.20.30',
  FR: '90.54.1.1',
  ES: '83.44.10.20',
  PL: '83.20.10.30',
  BR: '189.40.10.20',
  TR: '78.160.10.20',
  IN: '49.36.10.20',
  RU: '95.24.10.20',
};

type Model = { readonly facts: StoredFacts } & ReturnType<typeof assembleSession>;
const models = new Map<string, Model[]>();

/** Assessed sessions at addresses, by each browser; once in a process. The time zone is that of the address unless given. */
function modelsOf(network: NetworkIntelligence, addresses: readonly string[], zone?: string): Model[] {
  const key = addresses.join();
  const known = models.get(key);
  if (known) return known;
  const made = addresses.flatMap((ip) =>
    USER_AGENTS.map((userAgent) => {
      const found = network.lookup(ip);
      const facts = factsOf(ip, userAgent, zone ?? found.location.timezone);
      const networks = { network: found, laterNetworks: [], webrtcNetworks: [], sources: network.status() };
      const unknown = { calibration: null, history: [], edgePosition: null };
      return { facts, ...assembleSession(facts, new Date(), { ...networks, ...unknown }) };
    }),
  );
  models.set(key, made);
  return made;
}

/**
 * Creates sessions as stored by the gateway. Assessing is part of an earlier request: a few sessions are
 * assessed, and each row encrypts one of them again with its own address.
 */
export async function createSessionMaker(project: Project): Promise<SessionMaker> {
  const network = await openNetworkIntelligence();
  let made = 0;
  return ({ ip, device, browser, country }, start, open) => {
    const isAny = country === undefined;
    const all = isAny
      ? modelsOf(network, ADDRESSES, 'Europe/Paris')
      : modelsOf(network, [ADDRESS_IN[country]!]);
    // The same browser at each visit.
    const place = isAny ? made++ : Number(device.replace(/\D/g, ''));
    const { facts, result: model, trace } = all[place % all.length]!;
    const { cipher } = project;
    const sessionId = newId();
    const result = { ...model, network: { ...model.network, ipAddress: ip } };
    const row: SessionRow = {
      session_id: sessionId,
      request_id: newId(),
      state: open ? 'open' : 'complete',
      simulated: false,
      source: 'web',
      source_version: '1.0.0',
      start_time: start,
      created_at: start,
      completed_at: open ? null : start,
      expires_at: new Date(start.getTime() + 86_400_000),
      true_country_code: result.trueCountryCode,
      connection_type: result.network.connectionType,
      device_id: base62(cipher.blindIndex('device id', device), 22),
      browser_hash: browser === undefined ? null : cipher.blindIndex('browser', browser),
      device_hash: cipher.blindIndex('device', device),
      ...networkHashes(cipher, ip),
      signals: signalBits(result.riskSignals),
      device_part_hashes: browser === undefined ? [] : partHashes(cipher, device),
      facts: encryptSessionFacts({ cipher }, sessionId, facts),
      result: cipher.encryptCompactJson('sessions', sessionId, result),
      trace: encryptTrace(cipher, sessionId, { ...trace, startTime: start }),
    };
    return { row, result };
  };
}

/** As the gateway stores them: the first byte is the number of the differing part. */
function partHashes(cipher: Project['cipher'], device: string): Buffer[] {
  return DIFFERING_PARTS.map((part, index) => {
    const hash = Buffer.from(cipher.blindIndex('device part', `${device} ${part}`));
    hash[0] = index;
    return hash;
  });
}

function factsOf(ip: string, userAgent: string, timezone: string): StoredFacts {
  return {
    input: {
      source: 'web',
      sourceVersion: '1.0.0',
      browser: { userAgent, language: 'en-US', languages: ['en-US', 'fr'], timezone },
      device: { gpu: 'ANGLE (Apple, ANGLE Metal Renderer: Apple M1)', cpuCores: 8, memory: 8 },
      bot: { mouseNumEvents: 120, clickNumEvents: 6, keyboardNumEvents: 40 },
    },
    observed: {
      ...{ ip, userAgent, acceptLanguage: 'en-US,en;q=0.9', browserId: '', device: 'device' },
      ...{ headers: {}, edge: {} },
    },
  };
}

const SESSIONS: BulkTable = {
  name: 'sessions',
  columns: {
    session_id: 'uuid',
    request_id: 'uuid',
    state: 'text',
    source: 'text',
    source_version: 'text',
    start_time: 'timestamptz',
    created_at: 'timestamptz',
    completed_at: 'timestamptz',
    expires_at: 'timestamptz',
    true_country_code: 'text',
    connection_type: 'text',
    device_id: 'text',
    browser_hash: 'bytea',
    device_hash: 'bytea',
    network_hash: 'bytea',
    compared_subnet_hash: 'bytea',
    address_hash: 'bytea',
    subnet_hash: 'bytea',
    signals: 'integer',
    facts: 'bytea',
    result: 'bytea',
    trace: 'bytea',
    device_part_hashes: 'bytea[]',
  },
};

export function insertSessions(bench: Workbench, sessions: readonly MadeSession[]): Promise<void> {
  return insertRows(
    bench,
    SESSIONS,
    sessions.map(({ row }) => row),
  );
}
