import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { AppError } from '@vouchgraph/platform/errors';
import { normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import { LIMITS } from '@vouchgraph/platform/limits';
import { deviceAfter } from './device-identity.ts';
import { mergeSessionFacts, type SessionFactsInput } from './session-input.ts';
import type { StoredFacts, StoredPatch } from './stored-facts.ts';

/*
 * The facts of a session are encrypted as a whole at creation. Facts added later are patches, each encrypted separately,
 * until their number or size exceeds a limit and all are merged.
 */

const MAX_LATER_ADDRESSES = 8;
/** Number of patches kept beside a session's facts before they are merged. */
const MAX_PATCHES = 16;

/** A session as far as its facts depend on it; `facts` is encrypted. */
type PatchedSession = {
  readonly session_id: string;
  readonly simulated: boolean;
  readonly facts: Uint8Array;
};
type Encrypted = { readonly cipher: ProjectCipher };

/** Throws `session.facts_too_long` when the facts exceed the limit of a session. */
export function checkFactsSize(input: SessionFactsInput): void {
  if (Buffer.byteLength(JSON.stringify(input)) > LIMITS.sessionFactsBytes) throw factsTooLong();
}

function factsTooLong(): AppError {
  return new AppError(
    'session.facts_too_long',
    'too_large',
    'The facts of a session must be at most 32 KB in total: nothing was stored',
  );
}

/** Whether patches have to be merged into the facts, because of their number or their size together. */
export function areTooManyPatches(patches: readonly Buffer[]): boolean {
  const bytes = patches.reduce((sum, { length }) => sum + length, 0);
  return patches.length > MAX_PATCHES || bytes > LIMITS.sessionFactsBytes;
}

/** Encrypts all facts of a session. */
export function encryptSessionFacts({ cipher }: Encrypted, sessionId: string, facts: StoredFacts): Buffer {
  return cipher.encryptCompactJson('session facts', sessionId, facts);
}

/** Decrypts the facts of a session, without its patches. */
export function decryptSessionFacts(
  { cipher }: Encrypted,
  sessionId: string,
  facts: Uint8Array,
): StoredFacts {
  return cipher.decryptJson<StoredFacts>('session facts', sessionId, facts);
}

/** Encrypts the patch with this number, counted from 0. */
export function encryptPatch(
  { cipher }: Encrypted,
  { session_id }: Pick<PatchedSession, 'session_id'>,
  number: number,
  patch: StoredPatch,
): Buffer {
  return cipher.encryptJson('session patch', `${session_id}:${number}`, patch);
}

/** Facts of a session with all patches. */
export function sessionFactsOf(
  project: Encrypted,
  row: PatchedSession,
  patches: readonly Buffer[],
): StoredFacts {
  return patches.reduce(
    (facts, patch, number) => mergePatch(row, facts, decryptPatch(project, row, number, patch)),
    decryptSessionFacts(project, row.session_id, row.facts),
  );
}

function decryptPatch({ cipher }: Encrypted, { session_id }: PatchedSession, number: number, patch: Buffer) {
  return cipher.decryptJson<StoredPatch>('session patch', `${session_id}:${number}`, patch);
}

/** Facts with one patch. */
export function mergePatch(
  { simulated }: Pick<PatchedSession, 'simulated'>,
  facts: StoredFacts,
  patch: StoredPatch,
): StoredFacts {
  const merged = { input: mergeSessionFacts(facts.input, patch.input), observed: { ...facts.observed } };
  merged.observed.device = deviceAfter(simulated, merged);
  merged.observed.laterIps = withLaterIp(facts.observed, patch.ip);
  return merged;
}

/** Other addresses that facts were sent from, each once. */
function withLaterIp({ ip, laterIps = [] }: StoredFacts['observed'], from: string): string[] {
  const address = normalizeIp(from) ?? '';
  const isNew = address !== '' && address !== ip && !laterIps.includes(address);
  return isNew && laterIps.length < MAX_LATER_ADDRESSES ? [...laterIps, address] : laterIps;
}
