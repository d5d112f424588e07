import { sha256 } from '@vouchgraph/platform/crypto';

/*
 * The chain over the audit log of a project. Each entry has five commitments, each the SHA-256 of a name, a random salt and a value:
 *
 *   entry    audit id, time, actor, role, action, target and request id
 *   before   as PostgreSQL prints the JSON
 *   after    the same
 *   address  the encrypted address, and its keyed hash
 *   reason   the encrypted reason
 *
 *   hash of position n = SHA-256(hash of n - 1 | n as 8 bytes | SHA-256(the five commitments))
 *   hash of position 0 = SHA-256("vouchgraph audit chain v1" NUL project id)
 *
 * A link stores its commitments. Erasing a value deletes it with its salt: without the salt the commitment does not reveal the value,
 * and the chain remains valid. Encrypted values are committed to as they are stored, so that no key is needed.
 */

/** The values of an entry to which the chain commits. Salts are null once the value is erased. */
export type ChainedEntry = {
  readonly audit_id: string;
  readonly at: Date;
  readonly actor: string;
  readonly role: string | null;
  readonly action: string;
  readonly target: string;
  readonly request_id: string | null;
  readonly before_text: string | null;
  readonly after_text: string | null;
  readonly address: Buffer | null;
  readonly address_hash: Buffer | null;
  readonly reason: Buffer | null;
  readonly salt: string;
  readonly before_salt: string | null;
  readonly after_salt: string | null;
  readonly address_salt: string | null;
  readonly reason_salt: string | null;
};

/** Parts of an entry, in the order of their commitments. */
export const AUDITED_PARTS = ['entry', 'before', 'after', 'address', 'reason'] as const;
export type AuditedPart = (typeof AUDITED_PARTS)[number];

const HASH_BYTES = 32;

/** Commitments to an entry that was removed before it was chained. */
export const NO_COMMITMENTS = Buffer.alloc(AUDITED_PARTS.length * HASH_BYTES);

const textOf = (bytes: Buffer | null) => bytes?.toString('base64') ?? null;

/** Salt and value of each part. */
const PARTS: Readonly<Record<AuditedPart, (entry: ChainedEntry) => readonly [string | null, unknown]>> = {
  entry: ({ salt, audit_id, at, actor, role, action, target, request_id }) => [
    salt,
    [audit_id, at.toISOString(), actor, role, action, target, request_id],
  ],
  before: ({ before_salt, before_text }) => [before_salt, before_text],
  after: ({ after_salt, after_text }) => [after_salt, after_text],
  address: ({ address_salt, address, address_hash }) => [
    address_salt,
    [textOf(address), textOf(address_hash)],
  ],
  reason: ({ reason_salt, reason }) => [reason_salt, textOf(reason)],
};

/** The commitments to the parts of an entry. */
export function commitmentsOf(entry: ChainedEntry): Buffer {
  return Buffer.concat(
    AUDITED_PARTS.map((part) => {
      const [salt, value] = PARTS[part](entry);
      return sha256([part, salt ?? '', JSON.stringify(value)].join('\0'));
    }),
  );
}

/** Whether a part of an entry is erased. */
export function isErased(entry: ChainedEntry, part: AuditedPart): boolean {
  const [salt, value] = PARTS[part](entry);
  return part !== 'entry' && salt === null && [value].flat().every((each) => each === null);
}

/** The commitment to one part. */
export function commitmentTo(commitments: Buffer, part: AuditedPart): Buffer {
  const start = AUDITED_PARTS.indexOf(part) * HASH_BYTES;
  return commitments.subarray(start, start + HASH_BYTES);
}

/** The hash before the first link. */
export function initialHash(projectId: string): Buffer {
  return sha256(`vouchgraph audit chain v1\0${projectId}`);
}

/** The hash of a link. */
export function nextHash(previous: Uint8Array, position: bigint, commitments: Uint8Array): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(position);
  return sha256(Buffer.concat([previous, place, sha256(commitments)]));
}
