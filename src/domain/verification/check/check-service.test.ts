import { unavailable } from '@vouchgraph/platform/errors';
import type { RiskFlag } from '@vouchgraph/signals';
import { simulatedResult } from '@vouchgraph/verification/internals/simulated-result';
import type { DocumentJudgment } from '@vouchgraph/vision';
import { type VisionFailure, VisionWorkerError } from '@vouchgraph/vision/internals/vision-pool';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { MediaService } from '../../media/media-service.ts';
import type { Project } from '../../projects/project.ts';
import { createCheckService } from './check-service.ts';
import type { CompleteService } from './complete-service.ts';
import type { Vision } from './read-images-service.ts';

const SUBMITTED = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
let now = SUBMITTED;
beforeEach(() => {
  now = SUBMITTED;
});

/** A pending session; its failures are recorded. */
function setUp(
  kind: 'id' | 'face',
  read: () => Promise<never>,
  { readFaces, judgeDocument }: Partial<Vision> = {},
) {
  const row = {
    session_id: 's',
    kind,
    attempts: 0,
    document_retakes: 0,
    expires_at: new Date(SUBMITTED),
    started_at: new Date(SUBMITTED - MINUTE_MS),
    simulation: null,
    submitted_at: new Date(SUBMITTED),
    capture: null,
    media: ['face_frame:0'],
    challenge: [],
  };
  const failures: unknown[] = [];
  const retakes: unknown[] = [];
  /** As stored, which another reader may have changed since `row` was read. */
  const stored = { state: 'processing', document_retakes: 0 };
  const answers: Record<string, (values: readonly unknown[]) => unknown[]> = {
    'verification.find_processing': () => (failures.length > 0 ? [] : [row]),
    'verification.count_attempt': () => {
      row.attempts += 1;
      return [{ attempts: row.attempts }];
    },
    'verification.retake': ([, , count, reason]) => {
      if (stored.state !== 'processing' || stored.document_retakes !== count) return [];
      retakes.push(reason);
      return [{ objectId: 'd', version: 'v' }];
    },
    'verification.fail': ([, failure]) => {
      failures.push(failure);
      return [];
    },
  };
  const query = async ({ name }: { name: string }, values: readonly unknown[]) => answers[name]!(values);
  const transaction = (work: (transaction: unknown) => Promise<void>) =>
    work({
      run: async () => [[], [{ ...stored, account_id: null, bound_to: null }]],
      commit: async ([statement, values]: Parameters<typeof query>) => query(statement, values),
    });
  const project = {
    projectId: 'p',
    environment: 'live',
    settings: {},
    database: { projectId: 'p', query, transaction },
    cipher: { encryptCompactJson: () => Buffer.alloc(0) },
  } as unknown as Project;
  const onExhausted = vi.fn();
  const completeSeen = vi.fn(async () => true);
  const removeFiles = vi.fn(async () => {});
  const media = {
    ofSession: async () => [
      { kind: 'face_frame', sequence: 0, objectId: 'o', state: 'stored' },
      { kind: 'id_front', sequence: 0, objectId: 'd', state: 'stored' },
    ],
    read: async () => Buffer.of(1),
    removeFiles,
  } as unknown as MediaService;
  const { check } = createCheckService({
    vision: { readFaces: readFaces ?? read, judgeDocument: judgeDocument ?? read },
    media,
    completing: { completeSeen } as unknown as CompleteService,
    clock: { now: () => new Date(now) },
    onExhausted,
  });
  const run = (retries: number) => check(project, 's', retries);
  return { check: run, row, stored, failures, retakes, removeFiles, onExhausted, completeSeen };
}

const failing = (failure: VisionFailure) => async () => {
  throw new VisionWorkerError(failure);
};

describe('images', () => {
  it.each([
    ['id', 'crashed', 'failed_to_process_id_scan'],
    ['face', 'timed_out', 'failed_to_complete_face_scan'],
  ] as const)(
    'of kind %s whose reader ends three times (%s) fail without evidence about the person',
    async (kind, end, failure) => {
      const { check, failures, onExhausted } = setUp(kind, failing(end));
      await expect(check(0)).rejects.toThrow(VisionWorkerError);
      await expect(check(1)).rejects.toThrow(VisionWorkerError);
      await check(2);
      expect(failures).toEqual([failure]);
      expect(onExhausted).toHaveBeenCalledOnce();
    },
  );

  it.each([
    ['the storage', async () => Promise.reject(unavailable(new Error('away')))],
    ['a closing pool', failing('closed')],
    ['a busy pool', failing('busy')],
  ] as const)('are retried for an hour when %s fails', async (_name, read) => {
    const { check, row, failures, onExhausted } = setUp('face', read);
    for (let retries = 0; retries < 60; retries += 1) {
      now = SUBMITTED + retries * MINUTE_MS;
      await expect(check(retries)).rejects.toThrow();
    }
    expect([row.attempts, failures]).toEqual([0, []]);
    now = SUBMITTED + 61 * MINUTE_MS;
    await check(60);
    expect(failures).toEqual(['failed_to_complete_face_scan']);
    expect(onExhausted).toHaveBeenCalledOnce();
  });

  it('that waited long in the queue are processed all the same', async () => {
    const { check, failures } = setUp('face', failing('busy'));
    now = SUBMITTED + 600 * MINUTE_MS;
    await expect(check(0)).rejects.toThrow(VisionWorkerError);
    expect(failures).toEqual([]);
  });
});

describe('a document', () => {
  const face = { problem: null, descriptor: new Float32Array(128), portrait: null, recaptureScore: 1 };
  const front = { problem: null, hasOutline: true, lines: [{}], barcode: null };
  const judged = (flags: RiskFlag[], userData: Partial<DocumentJudgment['data']['userData']>) => {
    const { document } = simulatedResult(
      'id',
      { decision: 'Real', riskScore: 0, riskFlags: flags },
      new Date(now),
    );
    const nothing = {
      firstName: '',
      lastName: '',
      dateOfBirth: '',
      dateOfExpiration: '',
      dateOfIssue: '',
      idNumber: '',
      idNumber2: '',
      address: { city: '', country: '', postalCode: '', state: '', street: '' },
    };
    const data = { ...document!.data, userData: { ...nothing, ...userData } };
    return { reading: { front, back: null }, judgment: { ...document!, data } };
  };
  const setUpWith = (answer: ReturnType<typeof judged>) =>
    setUp('id', failing('busy'), {
      readFaces: async () => face as never,
      judgeDocument: async () => answer as never,
    });
  const nothingRead = judged(['cannot_confirm_id_is_authentic'], {});

  it('is captured again when no field could be read, and its files are removed', async () => {
    const { check, failures, retakes, removeFiles, completeSeen } = setUpWith(nothingRead);
    await check(0);
    expect([retakes, failures]).toEqual([['unreadable'], []]);
    expect(removeFiles).toHaveBeenCalledWith(expect.anything(), [{ objectId: 'd', version: 'v' }]);
    expect(completeSeen).not.toHaveBeenCalled();
  });

  it.each([
    ['after two retakes', { document_retakes: 2 }],
    ['a day after the start', { started_at: new Date(SUBMITTED - 24 * 60 * MINUTE_MS) }],
  ])('has no result when no field could be read %s', async (_, over) => {
    const { check, row, stored, failures, retakes, completeSeen } = setUpWith(nothingRead);
    Object.assign(row, over);
    stored.document_retakes = row.document_retakes;
    await check(0);
    expect([retakes, failures]).toEqual([[], ['failed_to_process_id_scan']]);
    expect(completeSeen).not.toHaveBeenCalled();
  });

  it('whose images were replaced during reading changes nothing', async () => {
    const { check, stored, failures, retakes } = setUpWith(nothingRead);
    stored.document_retakes = 1;
    await check(0);
    expect([retakes, failures]).toEqual([[], []]);
  });

  it('has a result when a field was read or its parts contradict each other', async () => {
    for (const answer of [
      judged(['cannot_confirm_id_is_authentic'], { lastName: 'Muster' }),
      judged(['likely_fake_id'], {}),
    ]) {
      const { check, failures, retakes, completeSeen } = setUpWith(answer);
      await check(0);
      expect([failures, retakes]).toEqual([[], []]);
      expect(completeSeen).toHaveBeenCalledOnce();
    }
  });
});
