import type { FaceTask } from '@vouchgraph/vision';
import {
  createVisionPool,
  type VisionPool,
  type VisionPoolOptions,
  VisionWorkerError,
} from '@vouchgraph/vision/internals/vision-pool';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { challengeTask } from '../../fixtures/faces/challenge.ts';
import { personFrames } from '../../fixtures/faces/person.ts';

const TIMEOUT = 120_000;
const program = new URL('../../fixtures/faces/odd-worker.mjs', import.meta.url);
const [CRASH, HANG, FAIL, WAIT, ANSWER] = [1, 2, 3, 4, 9] as const;

const pools: VisionPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close(0))));

function open(options: Partial<VisionPoolOptions> = {}) {
  const errors: VisionWorkerError[] = [];
  const pool = createVisionPool({ size: 1, onError: (error) => errors.push(error), ...options });
  pools.push(pool);
  return { pool, errors };
}

/** Loading the networks takes longer than reading: one pool for the tests that read images. */
const reader = createVisionPool({ size: 1, onError: () => {} });
afterAll(() => reader.close(0));

const task = (...bytes: number[]): FaceTask => ({
  frames: [{ bytes: Uint8Array.from(bytes), step: 'center' }],
  challenge: [],
  anyOrder: false,
});
const failure = (name: string) => expect.objectContaining({ name: 'VisionWorkerError', failure: name });

describe('the vision pool', { timeout: TIMEOUT }, () => {
  it('reads faces, and leaves the bytes of the caller to it', async () => {
    const head = await personFrames();
    const given = challengeTask(head, ['left']);
    const before = Buffer.from(head.center);
    const reading = await reader.readFaces(given);
    expect(reading).toMatchObject({ problem: null, challenge: [{ step: 'left', isPassed: true }] });
    expect(reading.descriptor).toBeInstanceOf(Float32Array);
    expect(reader.threads()).toBe(1);
    // The bytes of the caller are not transferred.
    expect(given.frames[0]!.bytes).toEqual(before);
    expect(await reader.readFaces(task(0, 1, 2))).toMatchObject({ problem: 'not_an_image' });
  });

  it('starts a thread with the first task, and reads faces and documents in it', async () => {
    const { pool } = open({ program });
    expect(pool.threads()).toBe(0);
    const front = Uint8Array.from([ANSWER, 0]);
    expect(await pool.readDocument({ front, back: null })).toMatchObject({ kind: 'document', count: 1 });
    expect(await pool.readDocument({ front, back: front })).toMatchObject({ kind: 'document', count: 2 });
    expect(await pool.readFaces(task(ANSWER))).toMatchObject({ kind: 'faces', count: 3 });
    expect(pool.threads()).toBe(1);
  });

  it('assesses documents in the thread that reads them', async () => {
    const front = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#887766' } })
      .jpeg()
      .toBuffer();
    const selfie = { descriptor: new Float32Array(128), ageYears: 45 };
    const { reading, judgment } = await reader.judgeDocument(
      { front, back: null },
      { now: new Date('2026-11-21T12:00:00Z'), selfie },
    );
    expect(reading.front).toMatchObject({ problem: null, hasOutline: false, lines: [] });
    expect(judgment.signals).toMatchObject({
      faceAgeEstimate: 'over40',
      idValidity: 'cannot_confirm_id_is_authentic',
    });
  });

  it('replaces a thread that crashes in the middle of a task', async () => {
    const { pool, errors } = open({ program });
    const [crashed, next] = [pool.readFaces(task(CRASH)), pool.readFaces(task(ANSWER, 1, 2))];
    await expect(crashed).rejects.toEqual(failure('crashed'));
    await expect(next).resolves.toMatchObject({ count: 1, length: 3 });
    expect(errors).toEqual([failure('crashed')]);
  });

  it('ends a task that runs too long', async () => {
    const { pool } = open({ program, taskLimitMs: 300 });
    const [hanging, next] = [pool.readFaces(task(HANG)), pool.readFaces(task(ANSWER))];
    await expect(hanging).rejects.toEqual(failure('timed_out'));
    await expect(next).resolves.toMatchObject({ count: 1 });
  });

  it('reports a failed task by the name of the error only, and keeps the thread', async () => {
    const { pool } = open({ program });
    await expect(pool.readFaces(task(FAIL))).rejects.toThrow('failed (TypeError)');
    expect(await pool.readFaces(task(ANSWER))).toMatchObject({ count: 2 });
  });

  it('reports a worker program that does not start', async () => {
    const { pool } = open({ program: new URL('../../fixtures/faces/nowhere.mjs', import.meta.url) });
    await expect(pool.readFaces(task(ANSWER))).rejects.toEqual(failure('crashed'));
    expect(pool.threads()).toBe(0);
  });

  it('starts threads up to its limit, and rejects tasks over the limit of waiting ones', async () => {
    const { pool } = open({ program, size: 2, maxWaiting: 2 });
    const running = [pool.readFaces(task(WAIT, 10)), pool.readFaces(task(WAIT, 10))];
    const waiting = [pool.readFaces(task(ANSWER)), pool.readFaces(task(ANSWER))];
    expect(pool.threads()).toBe(2);
    await expect(pool.readFaces(task(ANSWER))).rejects.toEqual(failure('busy'));
    expect(await Promise.all([...running, ...waiting])).toHaveLength(4);
    expect(pool.threads()).toBe(2);
  });

  it('stops idle threads, and starts new ones', async () => {
    const { pool } = open({ program, idleMs: 20 });
    await pool.readFaces(task(ANSWER));
    await vi.waitFor(() => expect(pool.threads()).toBe(0), 50_000);
    expect(await pool.readFaces(task(ANSWER))).toMatchObject({ count: 1 });
  });

  it('waits at shutdown for the running task, and accepts no further ones', async () => {
    const { pool } = open({ program });
    const running = pool.readFaces(task(WAIT, 10));
    const waiting = pool.readFaces(task(ANSWER));
    const closing = pool.close();
    await expect(waiting).rejects.toEqual(failure('closed'));
    await expect(pool.readFaces(task(ANSWER))).rejects.toBeInstanceOf(VisionWorkerError);
    await expect(running).resolves.toMatchObject({ count: 1 });
    await closing;
    expect(pool.threads()).toBe(0);
  });

  it('limits its wait at shutdown', async () => {
    const { pool } = open({ program });
    const hanging = pool.readFaces(task(HANG));
    const closing = pool.close(50);
    await expect(hanging).rejects.toEqual(failure('closed'));
    await closing;
    expect(pool.threads()).toBe(0);
  });
});
