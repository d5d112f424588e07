import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { type AuditAction, actorKindOf } from './audit-action.ts';

/** The caller of a change: a viewer, or the request that carries its parts. */
export type AuditCaller = {
  readonly project: { readonly cipher: ProjectCipher };
  /** The key's visible prefix, `person:ID`, `rule:NAME`, `command line` or `system`. */
  readonly actor: string;
  /** Role of a key. */
  readonly role?: string | null;
  /** Role of a person in the project. */
  readonly personRole?: string | undefined;
  /** Address of the client; absent without a request. */
  readonly address?: string | undefined;
};

/** The author of an entry as it is stored. */
export type AuditAuthor = {
  readonly actor: string;
  /** Role of a key or a person; null for every other actor. */
  readonly role: string | null;
  /** Encrypted address of the client of a key or a person. */
  readonly address: Buffer | null;
  readonly addressHash: Buffer | null;
  readonly requestId: string | null;
};

export type AuditedValues = Readonly<Record<string, unknown>>;

/** What a caller changed. Personal fields and account ids enter as keyed hashes only, except in the reason. */
export type AuditedChange = {
  readonly action: AuditAction;
  /** Kind and name or id, such as `list:vip`; account ids hashed. */
  readonly target: string;
  /** Changed values before the change, by name; null without any. */
  readonly before?: AuditedValues | null;
  /** Changed values after the change; null without any. */
  readonly after?: AuditedValues | null;
  /** The caller's text, and what it is about: erasing one of these erases the text. */
  readonly reason?: AuditedReason | null;
};

export type AuditedReason = { readonly text: string; readonly subjects: readonly string[] };

/** An entry of the audit log. */
export type AuditEntry = Omit<AuditedChange, 'reason'> & {
  readonly auditId: string;
  readonly at: Date;
  readonly author: AuditAuthor;
  /** Encrypted. */
  readonly reason: Buffer | null;
  readonly subjects: readonly string[];
};

const TABLE = 'audit_log';
const NO_REQUEST = 'no request';

/** Only keys and persons have a role and an address: the address of a page or an app is that of an end user. */
const hasRole = (actor: string) => ['KEY', 'PERSON'].includes(actorKindOf(actor));

/** The caller's parts, for a request that is executed later or together with others. */
export function callerOf<Caller extends AuditCaller>({ project, actor, role, personRole, address }: Caller) {
  return { project: project as Caller['project'], actor, role, personRole, address };
}

/** The author of the entries of a request. */
export function authorOf(
  { project: { cipher }, actor, role, personRole, address }: AuditCaller,
  requestId: string | null,
): AuditAuthor {
  if (!hasRole(actor)) return { actor, role: null, address: null, addressHash: null, requestId };
  const isKnown = address !== undefined && address !== '';
  return {
    actor,
    role: role ?? personRole ?? null,
    address: isKnown ? cipher.encryptJson(TABLE, addressRow(requestId), address) : null,
    addressHash: isKnown ? addressHash(cipher, address) : null,
    requestId,
  };
}

/** The entry of a change, for its transaction. */
export function auditEntry(
  caller: AuditCaller,
  requestId: string | null,
  at: Date,
  { reason, ...change }: AuditedChange,
): AuditEntry {
  const auditId = newId(at.getTime());
  const author = authorOf(caller, requestId);
  const { cipher } = caller.project;
  const isGiven = reason != null && reason.text !== '';
  return {
    ...change,
    ...{ auditId, at, author },
    reason: isGiven ? cipher.encryptJson(TABLE, auditId, reason.text) : null,
    subjects: isGiven ? [...new Set(reason.subjects)] : [],
  };
}

/** Keyed hash by which the entries of an address are found. */
export function addressHash(cipher: ProjectCipher, address: string): Buffer {
  return cipher.blindIndex('audit address', address);
}

/** All entries of a request share one encrypted address. */
const addressRow = (requestId: string | null) => `address:${requestId ?? NO_REQUEST}`;

type EncryptedValues = {
  readonly auditId: string;
  readonly requestId: string | null;
  readonly address: Uint8Array | null;
  readonly reason: Uint8Array | null;
};

/** The address of an entry; null without one, and once it is erased. */
export function addressOf(
  cipher: ProjectCipher,
  { requestId, address }: Pick<EncryptedValues, 'requestId' | 'address'>,
) {
  return address && cipher.decryptJson<string>(TABLE, addressRow(requestId), address);
}

/** The reason of an entry; null without one, and once it is erased. */
export function reasonOf(
  cipher: ProjectCipher,
  { auditId, reason }: Pick<EncryptedValues, 'auditId' | 'reason'>,
) {
  return reason && cipher.decryptJson<string>(TABLE, auditId, reason);
}

/** The subject of a reason that is about an account, by its hash in entries. */
export const accountSubject = (short: string): string => `account:${short}`;

/** The subject of a reason that is about a verification. */
export const verificationSubject = (sessionId: string): string => `verification:${sessionId}`;
