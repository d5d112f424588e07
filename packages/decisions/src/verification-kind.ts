import { z } from 'zod';

/** Kind of a verification: an ID check reads a document and a face, a face check a face alone. */
export const VERIFICATION_KINDS = ['id', 'face'] as const;
export type VerificationKind = (typeof VERIFICATION_KINDS)[number];
export const verificationKindShape = z.enum(VERIFICATION_KINDS);
