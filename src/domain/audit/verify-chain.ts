import {
  AUDITED_PARTS,
  type AuditedPart,
  type ChainedEntry,
  commitmentsOf,
  commitmentTo,
  initialHash,
  isErased,
  nextHash,
} from './audit-chain.ts';
import type { StoredLink } from './audit-chain-store.ts';
import type { AuditHead } from './audit-head.ts';

/** A difference between the audit log and its chain, or its head. */
export type ChainProblem =
  /** Parts of an entry differ from its commitments. */
  | { kind: 'changed'; position: number; auditId: string; parts: AuditedPart[] }
  /** The entry of a link does not exist. */
  | { kind: 'removed'; position: number; auditId: string }
  /** Links do not exist. */
  | { kind: 'links_removed'; position: number; through: number }
  /** A link does not follow the link before it. */
  | { kind: 'reordered'; position: number; auditId: string }
  /** An entry is not part of the chain. */
  | { kind: 'inserted'; auditId: string }
  /** The hash at the position of the head differs: the chain was computed again after the head was signed. */
  | { kind: 'rewritten'; position: number }
  /** The chain ends before the head. */
  | { kind: 'cut_off'; position: number; through: number };

export type VerifiedChain = {
  /** Links of the chain. */
  links: number;
  /** Erased values. */
  erased: number;
};

/** The stored state of a project, as streams: the memory does not depend on its length. */
export type StoredChain = {
  readonly projectId: string;
  /** In the order of their positions. */
  readonly links: AsyncIterable<StoredLink>;
  /** Ids of entries outside of the chain. */
  readonly outside: AsyncIterable<string>;
};

/** Recomputes a chain, up to its end or the end at which the head was signed, and emits what differs. */
export async function verifyChain(
  { projectId, links, outside }: StoredChain,
  head: Pick<AuditHead, 'position' | 'hash'> | null,
  emit: (problem: ChainProblem) => void,
): Promise<VerifiedChain> {
  const verified: VerifiedChain = { links: 0, erased: 0 };
  let previous = { position: 0n, hash: initialHash(projectId) };
  const compareHead = () => {
    if (head === null || BigInt(head.position) !== previous.position) return;
    if (previous.hash.toString('hex') !== head.hash) emit({ kind: 'rewritten', position: head.position });
  };
  compareHead();
  for await (const link of links) {
    const position = BigInt(link.position);
    const expected = previous.position + 1n;
    if (position !== expected)
      emit({ kind: 'links_removed', position: Number(expected), through: Number(position - 1n) });
    else if (!nextHash(previous.hash, position, link.commitments).equals(link.hash))
      emit({ kind: 'reordered', position: Number(position), auditId: link.audit_id });
    verified.erased += compareEntry(link, emit);
    verified.links += 1;
    previous = { position, hash: link.hash };
    compareHead();
  }
  const end = Number(previous.position);
  if (head !== null && end < head.position)
    emit({ kind: 'cut_off', position: end + 1, through: head.position });
  for await (const auditId of outside) emit({ kind: 'inserted', auditId });
  return verified;
}

/** Compares an entry with the commitments of its link; the number of its erased parts. */
function compareEntry(link: StoredLink, emit: (problem: ChainProblem) => void): number {
  const { audit_id: auditId, commitments } = link;
  const position = Number(link.position);
  if (link.salt === null) {
    emit({ kind: 'removed', position, auditId });
    return 0;
  }
  const erased = AUDITED_PARTS.filter((part) => isErased(link, part));
  const parts = changedParts(link, commitments).filter((part) => !erased.includes(part));
  if (parts.length > 0) emit({ kind: 'changed', position, auditId, parts });
  return erased.length;
}

function changedParts(entry: ChainedEntry, commitments: Buffer): AuditedPart[] {
  const computed = commitmentsOf(entry);
  return AUDITED_PARTS.filter(
    (part) => !commitmentTo(computed, part).equals(commitmentTo(commitments, part)),
  );
}
