import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { findAccountByAccountId } from '../accounts/account-store.ts';
import { accountNotFound } from '../accounts/errors.ts';
import { accountHash } from '../audit/account-hash.ts';
import { accountSubject, auditEntry, verificationSubject } from '../audit/audit-entry.ts';
import { auditCall } from '../audit/audit-store.ts';
import { findCheck } from '../email-checks/email-check-store.ts';
import type { MediaService } from '../media/media-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { sessionNotFound } from '../sessions/errors.ts';
import { findSessions } from '../sessions/session-store.ts';
import { findVerification } from '../verification/verification-store.ts';
import { type ActiveReveal, ActiveReveals, type RevealSubjectKind } from './active-reveals.ts';
import { MAX_ACTIVE_REVEALS, REVEAL_MS, REVEALS_TABLE, type RevealInput, subjectOf } from './reveal.ts';
import { endRevealCall, findActiveReveals, findRevealsSince, insertRevealCall } from './reveal-store.ts';
import { type AskedMedia, openMedia } from './revealed-media-service.ts';

export type RevealService = ReturnType<typeof createRevealService>;

/** Shows the personal data of one subject to one person for an hour. */
export function createRevealService(deps: Deps) {
  const ofMedia = { ...deps, findActive: (viewer: Viewer) => findActive(deps, viewer) };
  return {
    /** The active reveals of a person. */
    findActive: (viewer: Viewer) => findActive(deps, viewer),
    /** The reveals of a person that have not ended, and the ended ones that began since a time. */
    findSince: (viewer: Viewer, since: Date) => findSince(deps, viewer, since),
    /** Reveals a subject, from now on for an hour. Recorded in the audit log with the reason. */
    reveal: (viewer: Viewer, requestId: string, input: RevealInput) => reveal(deps, viewer, requestId, input),
    /** Ends an active reveal of the person. Throws `reveal.not_found` if there is none with this id. */
    end: (viewer: Viewer, requestId: string, revealId: string) => end(deps, viewer, requestId, revealId),
    /** Opens an image or a video of a revealed verification, and records it. */
    openMedia: (viewer: Viewer, requestId: string, asked: AskedMedia) =>
      openMedia(ofMedia, viewer, requestId, asked),
  };
}

type Deps = { readonly clock: Clock; readonly media: Pick<MediaService, 'ofSession' | 'open'> };

async function findActive({ clock }: Deps, viewer: Viewer): Promise<ActiveReveals> {
  assertMay(viewer, 'personal_data.reveal');
  const { database } = viewer.project;
  return new ActiveReveals(await findActiveReveals(database, personOf(viewer), clock.now()));
}

/** Reveals of a person at a time. */
export type RecentReveals = {
  readonly now: Date;
  readonly active: readonly ActiveReveal[];
  readonly ended: readonly ActiveReveal[];
};

async function findSince({ clock }: Deps, viewer: Viewer, since: Date): Promise<RecentReveals> {
  assertMay(viewer, 'personal_data.reveal');
  const now = clock.now();
  const all = await findRevealsSince(viewer.project.database, personOf(viewer), { now, since });
  const { active = [], ended = [] } = Object.groupBy(all, ({ expiresAt }) =>
    expiresAt > now ? 'active' : 'ended',
  );
  return { now, active, ended };
}

async function reveal(
  deps: Deps,
  viewer: Viewer,
  requestId: string,
  input: RevealInput,
): Promise<ActiveReveal> {
  assertMay(viewer, 'personal_data.reveal');
  const { project } = viewer;
  const { projectId, cipher, database } = project;
  const { kind, id } = subjectOf(input);
  const subjectId = await findSubject(project, kind, id);
  if ((await findActive(deps, viewer)).all.length >= MAX_ACTIVE_REVEALS) throw tooManyReveals();
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + REVEAL_MS);
  const revealId = newId(now.getTime());
  const reason = new Uint8Array(cipher.encryptJson(REVEALS_TABLE, revealId, input.reason));
  const made = { revealId, kind, subjectId, createdAt: now, expiresAt };
  const accountId = kind === 'account' ? id : null;
  await database.transaction((transaction) =>
    transaction.commit(
      insertRevealCall({ ...made, projectId, personId: personOf(viewer), reason }),
      auditCall(
        projectId,
        auditEntry(viewer, requestId, now, {
          action: 'personal_data.reveal',
          target: targetOf(project, { kind, subjectId, accountId }),
          after: { revealId, expiresAt },
          reason: { text: input.reason, subjects: reasonSubjects(project, { kind, subjectId, accountId }) },
        }),
      ),
    ),
  );
  return { ...made, accountId };
}

async function end(deps: Deps, viewer: Viewer, requestId: string, revealId: string): Promise<ActiveReveal> {
  assertMay(viewer, 'personal_data.reveal');
  const { project } = viewer;
  const { projectId, database } = project;
  const { all } = await findActive(deps, viewer);
  const found = all.find((each) => each.revealId === revealId.toLowerCase());
  if (!found) throw revealNotFound();
  const now = deps.clock.now();
  await database.transaction((transaction) =>
    transaction.commit(
      endRevealCall({ projectId, revealId: found.revealId, personId: personOf(viewer), now }),
      auditCall(
        projectId,
        auditEntry(viewer, requestId, now, {
          action: 'personal_data.end_reveal',
          target: targetOf(project, found),
          before: { revealId: found.revealId, expiresAt: found.expiresAt },
        }),
      ),
    ),
  );
  return { ...found, expiresAt: now };
}

/** Every viewer that may reveal is a person. */
function personOf({ personId }: Viewer): string {
  if (personId === undefined) throw new Error('a viewer without a person reveals personal data');
  return personId;
}

/** The internal id of an existing subject. Throws the same error for an unknown one and one of another project. */
async function findSubject(project: Project, kind: RevealSubjectKind, id: string): Promise<string> {
  const { database } = project;
  if (kind === 'account') {
    const account = await findAccountByAccountId(database, id);
    if (!account) throw accountNotFound();
    return account.id;
  }
  const known = isUuid(id) ? id.toLowerCase() : null;
  if (kind === 'session') {
    if (known === null || (await findSessions(database, [known])).length === 0) throw sessionNotFound();
    return known;
  }
  const find = () =>
    kind === 'verification' ? findVerification(database, known!) : findCheck(project, known!);
  if (known === null || !(await find())) throw subjectNotFound(kind);
  return known;
}

/** As in the audit log: an account is named by its keyed hash. */
function targetOf(
  { cipher }: Project,
  { kind, subjectId, accountId }: Pick<ActiveReveal, 'kind' | 'subjectId' | 'accountId'>,
): string {
  return accountId === null ? `${kind}:${subjectId}` : `account:${accountHash(cipher, accountId).whole}`;
}

/** What the reason is about: erasing one of these erases the text. */
function reasonSubjects(
  { cipher }: Project,
  { kind, subjectId, accountId }: Pick<ActiveReveal, 'kind' | 'subjectId' | 'accountId'>,
): string[] {
  if (accountId !== null) return [accountSubject(accountHash(cipher, accountId).short)];
  return kind === 'verification' ? [verificationSubject(subjectId)] : [];
}

function subjectNotFound(kind: 'verification' | 'email_check'): AppError {
  const what = kind === 'verification' ? 'Verification' : 'Email check';
  return new AppError(`${kind}.not_found`, 'not_found', `${what} not found`);
}

function tooManyReveals(): AppError {
  const message = `A person can have at most ${MAX_ACTIVE_REVEALS} active reveals: end one of them first`;
  return new AppError('reveal.too_many', 'conflict', message);
}

function revealNotFound(): AppError {
  return new AppError('reveal.not_found', 'not_found', 'Reveal not found');
}
