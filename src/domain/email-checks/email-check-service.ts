import { assessEmail } from '@vouchgraph/email';
import {
  checkBatchSize,
  type EmailBatch,
  type EmailBatchStatus,
  type EmailCheck,
  type EmailCheckInput,
  readCheckInput,
  type SentEmail,
} from '@vouchgraph/email/checks';
import { outboxEvent } from '@vouchgraph/events';
import type { Clock } from '@vouchgraph/platform/clock';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, refusalOf } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import {
  countBatches,
  findBatch,
  findBatches,
  findBatchOfImport,
  insertBatch,
  listBatches,
  type NewBatch,
} from './email-batch-store.ts';
import { encryptChecks } from './email-check-row.ts';
import { checkSnapshot } from './email-check-snapshot.ts';
import {
  type CheckPage,
  countChecks,
  findCheck,
  findChecks,
  insertCheck,
  listChecks,
} from './email-check-store.ts';
import {
  type EmailCheckRunner,
  type RunnerDependencies,
  startEmailChecks,
  withOutcome,
} from './email-check-worker.ts';
import { type EvidenceSources, gatherOffline } from './gather-evidence.ts';

export type { CheckPage } from './email-check-store.ts';

/** A batch that is added. */
export type BatchRequest = {
  readonly inputs: readonly EmailCheckInput[];
  readonly name?: string;
  readonly identityIntelligence?: boolean;
  /** Whether each address emits an event; true by default. */
  readonly emitsEach?: boolean;
  readonly importId?: string;
  readonly importNumber?: number;
  readonly digest?: Buffer;
};

export type AddedCheck = { readonly check: EmailCheck; readonly isWebhookConfigured: boolean };
export type AddedBatch = {
  readonly batch: EmailBatch;
  readonly isWebhookConfigured: boolean;
  /** False when the import already had a batch at this place: it is returned as it is. */
  readonly isNew: boolean;
};

export type EmailCheckService = ReturnType<typeof createEmailCheckService>;

/** Opens the service with what completes its checks in the background. */
export function openEmailChecks(deps: RunnerDependencies): {
  emailChecks: EmailCheckService;
  runner: EmailCheckRunner;
} {
  const runner = startEmailChecks(deps);
  return { emailChecks: createEmailCheckService({ ...deps, runner }), runner };
}

type Deps = {
  readonly clock: Clock;
  readonly sources: EvidenceSources;
  readonly runner: Pick<EmailCheckRunner, 'wake' | 'finish' | 'waitFor'>;
};

/** Adds email checks, and reads their results. */
function createEmailCheckService(deps: Deps) {
  return {
    /**
     * Adds a check outside of batches. When no look-up is needed it is computed and stored with its result. Otherwise it is
     * stored, and completed in the background.
     */
    add: (viewer: Viewer, ids: CheckIds, sent: SentEmail, identityIntelligence = false) =>
      add(deps, viewer, ids, sent, identityIntelligence),
    /** Adds a batch of 1 to 1,000 checks, which are completed in the background. Throws `input.invalid` for other sizes. */
    addBatch: (viewer: Viewer, requestId: string, request: BatchRequest) =>
      addBatch(deps, viewer, requestId, request),
    /** Throws `auth.forbidden` for a browser token when the check is a row of an import. */
    find,
    findBatch: findBatchById,
    list,
    count,
    /** Resolves with the check when it is completed, or with its current state after the timeout. */
    waitForCheck: (viewer: Viewer, check: EmailCheck, seconds: number, signal?: AbortSignal) =>
      waitForCheck(deps, viewer, check, { seconds, signal }),
    /** Resolves with the batch when it is completed, or with its current state after the timeout. */
    waitForBatch: (viewer: Viewer, batch: EmailBatch, seconds: number, signal?: AbortSignal) =>
      waitForBatch(deps, viewer, batch, { seconds, signal }),
  };
}

type CheckIds = { checkId: string; requestId: string; accountId?: string };

async function add(
  { clock, sources, runner }: Deps,
  viewer: Viewer,
  ids: CheckIds,
  sent: SentEmail,
  identityIntelligence: boolean,
): Promise<AddedCheck> {
  assertMay(viewer, 'email_check.create');
  const { project } = viewer;
  const at = clock.now();
  const input = readCheckInput(sent, identityIntelligence);
  const pending = pendingCheck(ids, input, at);
  const evidence = await gatherOffline(sources, project, input, at);
  const done = evidence && withOutcome(pending, { assessment: assessEmail(input, evidence) }, at);
  const [check] = await encryptChecks(project, [{ checkId: ids.checkId, input }]);
  const added = await insertCheck(project, {
    check: check!,
    accountId: pending.accountId,
    requestId: ids.requestId,
    at,
    completed: done && {
      outcome: { assessment: done.assessment! },
      event: outboxEvent(
        project.cipher,
        'email.intelligence.completed',
        null,
        checkSnapshot(project.projectId, done),
        at,
      ),
    },
  });
  if (!done) runner.finish(project.projectId, [{ ...pending, attempts: 0 }]);
  return { check: done ?? pending, ...added };
}

async function addBatch(
  { clock, runner }: Deps,
  viewer: Viewer,
  requestId: string,
  request: BatchRequest,
): Promise<AddedBatch> {
  assertMay(viewer, 'email_check.create');
  const { project, actor } = viewer;
  checkBatchSize(request.inputs.length);
  const createdAt = clock.now();
  const batch = newBatch(request, { actor, requestId, createdAt });
  const checks = request.inputs.map((input) => ({ checkId: newId(createdAt.getTime()), input }));
  const inserted = await insertBatch(project, batch, await encryptChecks(project, checks));
  const known = inserted ? null : await findKnown(project, batch);
  runner.wake();
  return {
    batch: known ?? pendingBatch(batch, checks.length),
    isWebhookConfigured: inserted?.isWebhookConfigured ?? false,
    isNew: inserted !== null,
  };
}

async function find(viewer: Viewer, checkId: string): Promise<EmailCheck | null> {
  assertMay(viewer, 'email_check.read');
  const check = isUuid(checkId) ? await findCheck(viewer.project, checkId) : null;
  if (check && isRow(check)) assertMay(viewer, 'email_check.read_row');
  return check;
}

async function findBatchById(viewer: Viewer, batchId: string): Promise<EmailBatch | null> {
  assertMay(viewer, 'email_check.read');
  const { project } = viewer;
  return isUuid(batchId) ? findBatch(project, batchId) : null;
}

/** A page of batches, the newest first; null for any status. */
async function list(
  viewer: Viewer,
  status: EmailBatchStatus | null,
  page: KeysetPage,
): Promise<EmailBatch[]> {
  assertMay(viewer, 'email_check.read');
  return listBatches(viewer.project, status, page);
}

/** Number of batches, counted up to a limit; null for any status. */
async function count(viewer: Viewer, status: EmailBatchStatus | null, limit: number): Promise<number> {
  assertMay(viewer, 'email_check.read');
  return countBatches(viewer.project, status, limit);
}

/** Checks by their ids, in this order; null for unknown ones, and for rows of imports that the viewer may not read. */
export async function readChecks(
  viewer: Viewer,
  checkIds: readonly string[],
): Promise<(EmailCheck | null)[]> {
  assertMay(viewer, 'email_check.read');
  const mayReadRows = refusalOf(viewer, 'email_check.read_row') === null;
  const found = await findChecks(viewer.project, checkIds);
  const byId = new Map(
    found.filter((check) => mayReadRows || !isRow(check)).map((check) => [check.checkId, check]),
  );
  return checkIds.map((id) => byId.get(id) ?? null);
}

/** Batches by their ids, in this order; null for unknown ones. */
export async function readBatches(
  viewer: Viewer,
  batchIds: readonly string[],
): Promise<(EmailBatch | null)[]> {
  assertMay(viewer, 'email_check.read');
  const found = await findBatches(viewer.project, batchIds);
  const byId = new Map(found.map((batch) => [batch.batchId, batch]));
  return batchIds.map((id) => byId.get(id) ?? null);
}

type Waiting = { readonly seconds: number; readonly signal: AbortSignal | undefined };

async function waitForCheck(
  { runner }: Deps,
  viewer: Viewer,
  check: EmailCheck,
  { seconds, signal }: Waiting,
): Promise<EmailCheck> {
  assertMay(viewer, 'email_check.create');
  const { project } = viewer;
  if (seconds <= 0 || check.status !== 'pending') return check;
  await runner.waitFor(project, check.checkId, seconds * 1000, signal);
  return (await findCheck(project, check.checkId)) ?? check;
}

async function waitForBatch(
  { runner }: Deps,
  viewer: Viewer,
  batch: EmailBatch,
  { seconds, signal }: Waiting,
): Promise<EmailBatch> {
  assertMay(viewer, 'email_check.create');
  const { project } = viewer;
  if (seconds <= 0 || batch.status === 'completed') return batch;
  await runner.waitFor(project, batch.batchId, seconds * 1000, signal);
  return (await findBatch(project, batch.batchId)) ?? batch;
}

/** The same page of the checks of several batches, in the order of the batches' ids. Throws as `find` does. */
export async function listChecksOfBatches(
  viewer: Viewer,
  batchIds: readonly string[],
  page: CheckPage,
): Promise<EmailCheck[][]> {
  assertMay(viewer, 'email_check.read');
  const checks = await listChecks(viewer.project, batchIds, page);
  if (checks.some(isRow)) assertMay(viewer, 'email_check.read_row');
  const byBatch = Map.groupBy(checks, ({ batchId }) => batchId);
  return batchIds.map((id) => byBatch.get(id) ?? []);
}

/** Numbers of checks of batches, in the order of the batches' ids, each counted up to a limit. */
export async function countChecksOfBatches(
  viewer: Viewer,
  batchIds: readonly string[],
  asked: { isCompleted: boolean; limit: number },
): Promise<number[]> {
  assertMay(viewer, 'email_check.read');
  return countChecks(viewer.project, batchIds, asked);
}

/** Whether a check is a row of an import. */
function isRow({ input }: EmailCheck): boolean {
  return input?.line !== undefined;
}

function pendingCheck(
  { checkId, requestId, accountId = undefined }: { checkId: string; requestId: string; accountId?: string },
  input: EmailCheckInput,
  createdAt: Date,
): EmailCheck {
  const nothing = { batchId: null, position: null, assessment: null, error: null, completedAt: null };
  return {
    checkId,
    requestId,
    accountId: accountId ?? null,
    status: 'pending',
    input,
    createdAt,
    ...nothing,
  };
}

function newBatch(
  request: BatchRequest,
  origin: Pick<NewBatch, 'actor' | 'requestId' | 'createdAt'>,
): NewBatch {
  return {
    batchId: newId(origin.createdAt.getTime()),
    name: request.name ?? '',
    identityIntelligence: request.identityIntelligence ?? false,
    emitsEach: request.emitsEach ?? true,
    importId: request.importId ?? null,
    importNumber: request.importNumber ?? null,
    digest: request.digest ?? null,
    ...origin,
  };
}

function pendingBatch({ digest: _digest, ...batch }: NewBatch, totalCount: number): EmailBatch {
  const progress = { completedCount: 0, failedCount: 0, startedAt: null, completedAt: null };
  return { ...batch, status: 'pending', totalCount, ...progress };
}

function findKnown(project: Project, { importId, importNumber }: NewBatch): Promise<EmailBatch | null> {
  return findBatchOfImport(project, importId!, importNumber!);
}
