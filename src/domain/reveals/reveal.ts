import { knownAccountIdShape } from '@vouchgraph/platform/account-id';
import { invalidInput } from '@vouchgraph/platform/errors';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { z } from 'zod';
import type { RevealSubjectKind } from './active-reveals.ts';

/** A person cannot reveal the data of a project in bulk. */
export const MAX_ACTIVE_REVEALS = 100;
/** A reveal ends after this time. */
export const REVEAL_MS = 3_600_000;
/** Days after its end for which a reveal is stored. */
export const REVEAL_KEPT_DAYS = 365;
/** Table name of reveals, which is additional authenticated data of encrypted reasons. */
export const REVEALS_TABLE = 'reveals';

const MAX_REASON_LENGTH = 500;

const reasonShape = z
  .string()
  .refine((reason) => reason.trim() !== '', 'must not be empty')
  .max(MAX_REASON_LENGTH, `must be at most ${MAX_REASON_LENGTH} characters`)
  .describe(
    `Reason, 1 to ${MAX_REASON_LENGTH} characters. Stored encrypted, with the reveal and in the audit log.`,
  );

export const revealShape = inputShape(
  'RevealInput',
  'Subject whose personal data is revealed, and the reason. Exactly one id is required.',
  {
    accountId: knownAccountIdShape
      .nullish()
      .describe(
        'Id of the account, assigned by the client. Includes its sessions and verifications, not its email checks.',
      ),
    sessionId: objectIdShape.nullish().describe('Global id of the session, or its sessionId.'),
    verificationId: objectIdShape.nullish().describe('Global id of the verification, or its sessionId.'),
    emailCheckId: objectIdShape.nullish().describe('Global id of the check, or its checkId.'),
    reason: reasonShape,
  },
);
export type RevealInput = z.infer<typeof revealShape>;

const FIELDS = {
  accountId: 'account',
  sessionId: 'session',
  verificationId: 'verification',
  emailCheckId: 'email_check',
} as const satisfies Partial<Record<keyof RevealInput, RevealSubjectKind>>;

/** The one subject of an input. Throws `input.invalid` for none or several. */
export function subjectOf(input: RevealInput): { kind: RevealSubjectKind; id: string } {
  const given = (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).flatMap((field) => {
    const id = input[field];
    return id == null ? [] : [{ kind: FIELDS[field], id }];
  });
  if (given.length !== 1) throw invalidInput(`exactly one of ${Object.keys(FIELDS).join(', ')} is required`);
  return given[0]!;
}
