import { unavailable } from '@vouchgraph/platform/errors';
import type pg from 'pg';
import { releaseAfter } from './connection-pool.ts';
import { type DatabaseProblem, problemOf } from './translate-error.ts';

export type DatabaseHealth = {
  /** Receives every error of the driver: a full disk shows in writes only. */
  note(error: unknown): void;
  findProblem(): Promise<DatabaseProblem | null>;
};

/** Time limit of a readiness check, whatever the server does. */
const MAX_CHECK_MS = 1500;
/** After a write that found the disk full, at least this long no further ones are invited. */
const DISK_FULL_MS = 5000;

/** Allocates some blocks on the database's disk, and releases them with the transaction. */
const TRY_DISK = `begin; set local lock_timeout = '1s';
  create temporary table disk_check on commit drop as
    select repeat('x', 1900) as filler from generate_series(1, 40);
  rollback`;

export function createDatabaseHealth(acquire: () => Promise<pg.PoolClient>): DatabaseHealth {
  let diskFullAt: number | null = null;
  let checking: Promise<void> | undefined;

  async function check(): Promise<void> {
    const client = await acquire();
    try {
      // Also on for a standby.
      const { rows } = await client.query(timed('show transaction_read_only'));
      if (rows[0].transaction_read_only === 'on') throw readOnly();
      if (diskFullAt !== null) await tryDisk(client, diskFullAt);
      client.release();
    } catch (error) {
      releaseAfter(client, error);
      throw error;
    }
  }

  async function tryDisk(client: pg.PoolClient, failedAt: number): Promise<void> {
    const error = await client.query(timed(TRY_DISK)).then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error !== null) await client.query(timed('rollback'));
    // Where temporary tables are not allowed, time alone decides.
    if (error !== null && problemOf(error) === 'disk_full') throw error;
    if (performance.now() - failedAt < DISK_FULL_MS) throw diskFull();
    if (diskFullAt === failedAt) diskFullAt = null;
  }

  return {
    note(error) {
      if (problemOf(error) === 'disk_full') diskFullAt = performance.now();
    },
    async findProblem() {
      // Concurrent requests share one check, so that they never use all connections.
      checking ??= check().finally(() => {
        checking = undefined;
      });
      try {
        await within(checking, MAX_CHECK_MS);
        return null;
      } catch (error) {
        return problemOf(error);
      }
    },
  };
}

const timed = (text: string) => ({ text, query_timeout: MAX_CHECK_MS }) as pg.QueryConfig;

const readOnly = () => Object.assign(new Error('the database takes no writes'), { code: '25006' });
const diskFull = () => Object.assign(new Error('the disk is full'), { code: '53100' });

/** Result of `work` within a time limit. */
function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unavailable()), milliseconds);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
