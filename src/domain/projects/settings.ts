import { z } from 'zod';

const score = z.number().min(0).max(1);

/** What a project may choose; the defaults are those of a new project. */
const settingsShape = z.object({
  /** Version of the thresholds: raised whenever one changes, stored with every decision. */
  thresholdsVersion: z.number().int().default(1),
  /** `account_score` from which an account is Suspicious, and from which it is Fake. */
  suspiciousFrom: score.default(0.4),
  fakeFrom: score.default(0.7),
  /** Whether REST folds Suspicious into Real on accounts, for clients that know two values only. */
  twoValuedDecision: z.boolean().default(true),
  /** Origins whose pages may call with a browser token; a sandbox project allows any. */
  allowedOrigins: z.array(z.string()).default([]),
  /** Whether production keys below operator may introspect the schema. */
  introspection: z.boolean().default(false),
});

export type ProjectSettings = z.infer<typeof settingsShape>;

/** Stored settings with the defaults filled in; a stored value that is out of range falls back as a whole. */
export function parseSettings(stored: unknown): ProjectSettings {
  const parsed = settingsShape.safeParse(stored);
  return parsed.success ? parsed.data : settingsShape.parse({});
}
