import { isPublicSignature, type ProjectCipher } from '@vouchgraph/platform/crypto';
import { initialHash } from './audit-chain.ts';
import type { LastLink } from './audit-chain-store.ts';

/** The signed end of the chain of a project. Anybody can verify the signature with the public key. */
export type AuditHead = {
  readonly projectId: string;
  /** Position of the last link; 0 for an empty chain. */
  readonly position: number;
  /** Hash of the last link, 64 hex digits. */
  readonly hash: string;
  /** Time of the signature, ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  /** Ed25519 key of the project, 32 bytes as base64url. */
  readonly publicKey: string;
  /** Ed25519 signature of the other values, 64 bytes as base64url. */
  readonly signature: string;
};

/** The signed text: five lines without a final line feed. */
function signedText({ projectId, position, hash, at }: Omit<AuditHead, 'publicKey' | 'signature'>): string {
  return ['vouchgraph audit head v1', projectId, position, hash, at].join('\n');
}

/** Signs the end of a chain. */
export function signHead(
  cipher: ProjectCipher,
  projectId: string,
  last: LastLink | null,
  now: Date,
): AuditHead {
  const { position, hash } = last ?? { position: 0n, hash: initialHash(projectId) };
  const head = {
    projectId,
    position: Number(position),
    hash: hash.toString('hex'),
    at: now.toISOString(),
  };
  return { ...head, publicKey: cipher.publicKey, signature: cipher.signPublicly(signedText(head)) };
}

/** What is wrong with a head of a project; null for a head that the project has signed. */
export function headProblemOf(
  { publicKey, signature, ...head }: AuditHead,
  projectId: string,
  expectedKey: string,
): 'other_project' | 'other_key' | 'invalid_signature' | null {
  if (head.projectId !== projectId) return 'other_project';
  if (publicKey !== expectedKey) return 'other_key';
  return isPublicSignature(publicKey, signedText(head), signature) ? null : 'invalid_signature';
}
