import { sha256 } from '@vouchgraph/platform/crypto';
import { invalidInput } from '@vouchgraph/platform/errors';
import { visibleName } from '@vouchgraph/platform/visible-text';
import { z } from 'zod';
import type { PersonRole } from '../projects/person-role.ts';

/** A person of the console. */
export type Person = {
  readonly personId: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  readonly twoFactorEnabled: boolean;
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
};

/** Role of a person in a project. */
export type Membership = { readonly projectId: string; readonly role: PersonRole };

/** An email address of a person, as it is stored and compared. */
export function normalizedEmail(text: string): string {
  return text.trim().toLowerCase();
}

const emailShape = z.email('must be an email address').max(254, 'must be at most 254 characters');
const nameShape = visibleName(128);

/** The same of a text that a person or a command entered. Throws `input.invalid`. */
export function checkedEmail(text: string): string {
  const email = normalizedEmail(text);
  const parsed = emailShape.safeParse(email);
  if (!parsed.success) throw invalidInput(`email: ${parsed.error.issues[0]!.message}`, ['email']);
  return email;
}

/** A name that was entered. Throws `input.invalid`. */
export function checkedName(text: string): string {
  const parsed = nameShape.safeParse(text.trim());
  if (!parsed.success) throw invalidInput(`name: ${parsed.error.issues[0]!.message}`, ['name']);
  return parsed.data;
}

/** Key of the attempts to sign in with an email. The email itself is not stored. */
export function attemptKey(email: string): string {
  return `email:${sha256(normalizedEmail(email)).toString('base64url')}`;
}
