import { randomUUID } from 'node:crypto';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Gateway, startOwnGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/** A backlog of several batches, as SQL: `$1` is the project. Rows that must stay are those of today. */
const BACKLOGS: Record<string, { rows: number; sql: string; left: string }> = {
  'idempotency keys': {
    rows: 700,
    sql: `insert into idempotency_keys (project_id, key_hash, request_hash, state, request_id, locked_until, expires_at)
          select $1, uuid_send(gen_random_uuid()), '', 'done', gen_random_uuid(), now(), now() + interval '1 hour' * sign(n - 700.5)
          from generate_series(1, 701) n`,
    left: 'idempotency_keys',
  },
  'sightings of fraud': {
    rows: 700,
    sql: `insert into fraud_sightings (project_id, account_id, session_id, network_hash, compared_subnet_hash, seen_at)
          select $1, gen_random_uuid(), gen_random_uuid(), '', '',
            case when n > 700 then now() else now() - interval '91 days' end from generate_series(1, 701) n`,
    left: 'fraud_sightings',
  },
  faces: {
    rows: 700,
    sql: `insert into face_templates (project_id, template_id, session_id, descriptor, created_at, expires_at,
            pipeline_version)
          select $1, gen_random_uuid(), gen_random_uuid(), '', now(), now() + interval '1 hour' * sign(n - 700.5), 1
          from generate_series(1, 701) n`,
    left: 'face_templates',
  },
  documents: {
    rows: 700,
    sql: `insert into document_sightings (project_id, session_id, number_hash, created_at, expires_at)
          select $1, gen_random_uuid(), '', now(), now() + interval '1 hour' * sign(n - 700.5)
          from generate_series(1, 701) n`,
    left: 'document_sightings',
  },
  'verifications without a result': {
    rows: 700,
    sql: `insert into verification_sessions (project_id, session_id, kind, secret_hash, request_id, created_at, expires_at)
          select $1, gen_random_uuid(), 'id', 'secret', gen_random_uuid(),
            case when n > 700 then now() else now() - interval '32 days' end, now() from generate_series(1, 701) n`,
    left: 'verification_sessions',
  },
  'results of verifications': {
    rows: 700,
    sql: `insert into verification_sessions (project_id, session_id, kind, state, secret_hash, request_id, created_at,
            expires_at, completed_at, result)
          select $1, gen_random_uuid(), 'id', 'completed', 'secret', gen_random_uuid(),
            case when n > 700 then now() else now() - interval '31 days 1 hour' end, now(),
            case when n > 700 then now() else now() - interval '30 days' end, 'result' from generate_series(1, 701) n`,
    left: 'verification_sessions where result is not null and true',
  },
  images: {
    rows: 700,
    sql: `insert into media_objects (project_id, object_id, session_id, kind, content_type, created_at, expires_at)
          select $1, gen_random_uuid(), gen_random_uuid(), 'id_front', 'image/jpeg', now(),
            now() + interval '1 hour' * sign(n - 700.5) from generate_series(1, 701) n`,
    left: 'media_objects',
  },
  'attempts of webhooks': {
    rows: 700,
    sql: `insert into webhook_attempts (project_id, attempt_id, delivery_id, duration_ms)
          select $1, (case when n > 700 then 'ffffffff' else '01000000' end || substr(gen_random_uuid()::text, 9))::uuid,
            gen_random_uuid(), 1 from generate_series(1, 701) n`,
    left: 'webhook_attempts',
  },
  'deliveries of webhooks': {
    rows: 700,
    sql: `insert into webhook_deliveries (project_id, delivery_id, endpoint_id, event_id, event_created_at, event_type,
            position, payload_format, state)
          select $1, (case when n > 700 then 'ffffffff' else '01000000' end || substr(gen_random_uuid()::text, 9))::uuid,
            gen_random_uuid(), gen_random_uuid(), now(), 'x', n, 1, 'delivered' from generate_series(1, 701) n`,
    left: 'webhook_deliveries',
  },
  'email checks': {
    rows: 700,
    sql: `insert into email_checks (project_id, check_id, address_hash, status, input, request_id, completed_at)
          select $1, (case when n > 700 then 'ffffffff' else '01000000' end || substr(gen_random_uuid()::text, 9))::uuid,
            '', 'success', '', gen_random_uuid(), now() from generate_series(1, 701) n`,
    left: 'email_checks',
  },
  'batches of email checks': {
    rows: 700,
    sql: `insert into email_batches (project_id, batch_id, status, total_count, actor, request_id)
          select $1, (case when n > 700 then 'ffffffff' else '01000000' end || substr(gen_random_uuid()::text, 9))::uuid,
            'completed', 1, '', gen_random_uuid() from generate_series(1, 701) n`,
    left: 'email_batches',
  },
  'imports of email checks': {
    rows: 700,
    sql: `insert into email_imports (project_id, import_id, description, status, actor, request_id)
          select $1, (case when n > 700 then 'ffffffff' else '01000000' end || substr(gen_random_uuid()::text, 9))::uuid,
            '', 'completed', '', gen_random_uuid() from generate_series(1, 701) n`,
    left: 'email_imports',
  },
  'matches of backtests': {
    rows: 700,
    sql: `insert into backtest_matches (project_id, backtest_id, decision_id)
          select $1, (case when n > 700 then 'ffffffff' else '01000000' end || '-0000-7000-8000-000000000000')::uuid,
            gen_random_uuid() from generate_series(1, 701) n`,
    left: 'backtest_matches',
  },
  'ended reveals': {
    rows: 700,
    sql: `insert into reveals (project_id, reveal_id, person_id, subject_kind, subject_id, reason, created_at, expires_at)
          select $1, gen_random_uuid(), gen_random_uuid(), 'session', gen_random_uuid(), '', now(),
            case when n > 700 then now() - interval '364 days' else now() - interval '366 days' end
          from generate_series(1, 701) n`,
    left: 'reveals',
  },
  'changes of identities': {
    rows: 700,
    sql: `insert into identity_changes (project_id, change_id, at, group_id, action, size)
          select $1, gen_random_uuid(), case when n > 700 then now() else now() - interval '366 days' end,
            gen_random_uuid(), 'grown', 2 from generate_series(1, 701) n`,
    left: 'identity_changes',
  },
  'events of days without a partition': {
    rows: 700,
    sql: `insert into outbox_events (project_id, event_id, type, payload, created_at, write_id, place)
          select $1, gen_random_uuid(), 'x', '', case when n > 700 then now() else now() - interval '40 days' end, n, 0
          from generate_series(1, 701) n`,
    left: 'outbox_events',
  },
};

async function countOf(client: pg.Client, table: string, projectId: string): Promise<number> {
  const where = table.includes(' where ') ? `${table} and` : `${table} where`;
  const { rows } = await client.query(`select count(*)::int as rows from ${where} project_id = $1`, [
    projectId,
  ]);
  return rows[0].rows;
}

describe('old rows', () => {
  let gateway: Gateway;
  let project: TestProject;
  let client: pg.Client;

  beforeAll(async () => {
    gateway = await startOwnGateway();
    project = await gateway.project();
    client = await connectAs(gateway.database, 'vouchgraph_system');
  });
  afterAll(async () => {
    await client.end();
    await gateway.close();
  });

  it.each(Object.entries(BACKLOGS))('are removed in several batches: %s', async (_, { rows, sql, left }) => {
    const [mine, other] = [project.projectId, (await gateway.project()).projectId];
    await client.query(sql, [mine]);
    await client.query(sql, [other]);
    expect(await countOf(client, left, mine)).toBe(rows + 1);
    await gateway.app.purge();
    expect(await countOf(client, left, mine)).toBe(1);
    expect(await countOf(client, left, other)).toBe(1);
  });

  it('that redirect a merged identity remain', async () => {
    const { projectId } = await gateway.project();
    await client.query(
      `insert into identity_changes (project_id, change_id, at, group_id, action, other_group_id, size)
       values ($1, gen_random_uuid(), now() - interval '400 days', gen_random_uuid(), 'merged', gen_random_uuid(), 2)`,
      [projectId],
    );
    await gateway.app.purge();
    expect(await countOf(client, 'identity_changes', projectId)).toBe(1);
  });
});

/** Keys that expired, in a project that does not answer requests. */
const EXPIRED_KEYS = `insert into idempotency_keys (project_id, key_hash, request_hash, state, request_id,
    locked_until, expires_at)
  select $1, uuid_send(gen_random_uuid()), '', 'done', gen_random_uuid(), now(), now() - interval '1 hour' from generate_series(1, $2) n`;

describe('a backlog', () => {
  /** A gateway on a database of its own, with what it logs. */
  async function setUp() {
    const lines: { purge?: string; rows?: number }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const masterKey = generateMasterKey();
    const gateway = await startOwnGateway({ log, masterKey });
    const { projectId } = await gateway.project();
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const owner = await connectAs(gateway.database, 'owner');
    onTestFinished(async () => {
      await Promise.all([client.end(), owner.end(), gateway.app.close().catch(() => {})]);
      await gateway.database.drop();
    });
    return { gateway, masterKey, projectId, client, owner, lines };
  }

  it('that exceeds the timeout of one statement is removed completely', async () => {
    const { gateway, projectId, client, owner } = await setUp();
    // A slow disk: all rows at once take 15 seconds, and statements have ten.
    await owner.query(`create function slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.01); return old; end $$`);
    await owner.query(
      'create trigger slow before delete on idempotency_keys for each row execute function slow()',
    );
    await client.query(EXPIRED_KEYS, [projectId, 1500]);
    await gateway.app.purge();
    expect(await countOf(client, 'idempotency_keys', projectId)).toBe(0);
  }, 180_000);

  it('reports its progress, stops between two batches when the gateway closes, and is completed by the next one', async () => {
    const { gateway, masterKey, projectId, client, lines } = await setUp();
    await client.query(EXPIRED_KEYS, [projectId, 40_000]);
    const purging = gateway.app.purge();
    await vi.waitFor(
      () => expect(lines).toContainEqual(expect.objectContaining({ purge: 'idempotency', rows: 10_000 })),
      {
        timeout: 60_000,
        interval: 5,
      },
    );
    await Promise.all([gateway.app.close(), purging]);
    const left = await countOf(client, 'idempotency_keys', projectId);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(30_000);
    expect(left % 250).toBe(0);

    const next = await startOwnGateway({ database: gateway.database, masterKey });
    await next.app.purge();
    await next.close();
    expect(await countOf(client, 'idempotency_keys', projectId)).toBe(0);
  }, 180_000);

  it('is shared by two gateways without waiting for rows of each other', async () => {
    const { gateway, masterKey, projectId, client } = await setUp();
    const other = await startOwnGateway({ database: gateway.database, masterKey });
    await client.query(EXPIRED_KEYS, [projectId, 5000]);
    const holder = await connectAs(gateway.database, 'vouchgraph_system');
    await holder.query('begin');
    await holder.query(
      'select 1 from idempotency_keys where project_id = $1 order by expires_at limit 100 for update',
      [projectId],
    );
    await Promise.all([gateway.app.purge(), other.app.purge()]);
    expect(await countOf(client, 'idempotency_keys', projectId)).toBe(100);
    await holder.query('rollback');
    await holder.end();
    await gateway.app.purge();
    expect(await countOf(client, 'idempotency_keys', projectId)).toBe(0);
    await other.close();
  });

  it('is removed although another purge fails', async () => {
    const { gateway, projectId, client, owner, lines } = await setUp();
    await owner.query('alter table idempotency_keys rename to idempotency_keys_away');
    await client.query(
      `insert into fraud_sightings (project_id, account_id, session_id, network_hash, compared_subnet_hash, seen_at)
       values ($1, $2, $2, '', '', now() - interval '91 days')`,
      [projectId, randomUUID()],
    );
    await gateway.app.purge();
    expect(await countOf(client, 'fraud_sightings', projectId)).toBe(0);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'maintenance failed' }));
  });
});
