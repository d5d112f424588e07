import { readHead, readLinks, readOutsideChain } from '../audit/audit-chain-store.ts';
import { type AuditedChange, auditEntry } from '../audit/audit-entry.ts';
import { type AuditHead, headProblemOf, signHead } from '../audit/audit-head.ts';
import { auditCall } from '../audit/audit-store.ts';
import { eraseAddresses, eraseValues } from '../audit/erase-values-store.ts';
import { type ChainProblem, type VerifiedChain, verifyChain } from '../audit/verify-chain.ts';
import type { Viewer } from './access-service.ts';
import { assertMay } from './assert-may.ts';

/** The signed head of the chain, and the number of entries that are not part of it yet. */
export async function readAuditHead(
  viewer: Viewer,
  now: Date,
): Promise<{ head: AuditHead; unchained: number }> {
  assertMay(viewer, 'audit.read');
  const { projectId, cipher, database } = viewer.project;
  const { last, unchained } = await readHead(database);
  return { head: signHead(cipher, projectId, last, now), unchained };
}

export type AuditProblem = ChainProblem | { kind: 'head'; problem: ReturnType<typeof headProblemOf> };

/** Recomputes the chain, compares it with a head, and emits what differs. A head that is not the project's is not compared. */
export function verifyAuditLog(
  viewer: Viewer,
  head: AuditHead | null,
  emit: (problem: AuditProblem) => void,
): Promise<VerifiedChain> {
  assertMay(viewer, 'audit.read');
  const { projectId, cipher, database } = viewer.project;
  const problem = head && headProblemOf(head, projectId, cipher.publicKey);
  if (problem) emit({ kind: 'head', problem });
  const stored = { projectId, links: readLinks(database), outside: readOutsideChain(database) };
  return verifyChain(stored, problem ? null : head, emit);
}

/** All values of an entry that can be erased, or the addresses of the entries of an actor before a time. */
export type AuditErasure =
  | { readonly auditId: string }
  | { readonly actor: string; readonly until: Date | null };

/** Erases personal values, and records it; the number of changed entries. The chain remains valid. */
export async function eraseAuditedValues(
  viewer: Viewer,
  requestId: string | null,
  erasure: AuditErasure,
  now: Date,
): Promise<number> {
  assertMay(viewer, 'audit.erase');
  const { projectId, database } = viewer.project;
  const entries =
    'actor' in erasure
      ? await eraseAddresses(database, erasure)
      : Number(await eraseValues(database, erasure.auditId));
  if (entries === 0) return 0;
  const target = 'actor' in erasure ? `actor:${erasure.actor}` : `audit:${erasure.auditId}`;
  const change: AuditedChange = { action: 'audit.erase', target, after: { entries } };
  await database.query(...auditCall(projectId, auditEntry(viewer, requestId, now, change)));
  return entries;
}
