import { type SessionResult, sessionFactsOf } from '@vouchgraph/signals';
import { type AccountExport, hexOf, orderBy } from '../model/account-export-store.ts';
import type { SessionRow } from './session-store.ts';

const SESSION = [
  ...[
    'session_id',
    'state',
    'simulated',
    'source',
    'source_version',
    'start_time',
    'created_at',
    'completed_at',
  ],
  ...['device_id', 'facts', 'result'],
];

/** Bindings with their sessions, and networks of fraud. A session that the retention removed leaves its binding. */
export const sessionsExports: readonly AccountExport[] = [
  {
    section: 'sessions',
    columns: ['account_sessions.account_id'],
    select: `b.session_id as bound_session, b.session_start, b.bound_at, b.request_id, b.country, b.scores, b.account_score, b.decision,
      ${SESSION.map((column) => `s.${column}`).join(', ')}, array(
        select p.facts from session_patches p
        where p.project_id = $1 and p.session_id = s.session_id order by p.patch_number
      ) as patches`,
    from: `account_sessions b left join sessions s on s.project_id = $1 and s.session_id = b.session_id
           where b.project_id = $1 and b.account_id = $2`,
    order: [orderBy('b.session_start', 'timestamptz'), orderBy('b.session_id', 'uuid', 'bound_session')],
    record: (row, { project }) => ({
      sessionId: row.bound_session,
      binding: {
        sessionStart: row.session_start,
        boundAt: row.bound_at,
        requestId: row.request_id,
        country: row.country,
        scores: row.scores,
        accountScore: row.account_score,
        decision: row.decision,
      },
      session: row.session_id && {
        state: row.state,
        simulated: row.simulated,
        source: row.source,
        sourceVersion: row.source_version,
        startTime: row.start_time,
        createdAt: row.created_at,
        completedAt: row.completed_at,
        deviceId: row.device_id,
        facts: sessionFactsOf(project, row as SessionRow, row.patches),
        result: project.cipher.decryptJson<SessionResult>('sessions', row.session_id, row.result),
      },
    }),
  },
  {
    section: 'fraud_sightings',
    columns: ['fraud_sightings.account_id'],
    select: 'f.session_id, f.network_hash, f.compared_subnet_hash, f.seen_at',
    from: 'fraud_sightings f where f.project_id = $1 and f.account_id = $2',
    order: [orderBy('f.session_id', 'uuid')],
    record: (row) => ({
      sessionId: row.session_id,
      keyedHashOfNetwork: hexOf(row.network_hash),
      keyedHashOfSubnet: hexOf(row.compared_subnet_hash),
      seenAt: row.seen_at,
    }),
  },
];
