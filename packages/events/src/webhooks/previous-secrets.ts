import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { AppError } from '@vouchgraph/platform/errors';

/** A replaced secret, which also signs until its end. */
export type PreviousSecret = { readonly secret: string; readonly until: string };

/** Each adds a signature to the headers of every delivery. */
const MAX_PREVIOUS_SECRETS = 5;

/** The replaced secrets of an endpoint that still sign, the latest first. `blob`: their encrypted form, null without any. */
export function previousSecretsOf(
  cipher: ProjectCipher,
  endpointId: string,
  blob: Uint8Array | null,
  now: Date,
): readonly PreviousSecret[] {
  const stored =
    blob === null ? [] : cipher.decryptJson<readonly PreviousSecret[]>('webhook_endpoints', endpointId, blob);
  return stillSigning(stored, now);
}

/** The secrets that have not ended. */
export function stillSigning(secrets: readonly PreviousSecret[], now: Date): readonly PreviousSecret[] {
  return secrets.filter(({ until }) => new Date(until) > now);
}

/** Adds a replaced secret. Throws `webhook.too_many_secrets` with the time from which a rotation is possible. */
export function withReplaced(
  previous: readonly PreviousSecret[],
  replaced: PreviousSecret,
): readonly PreviousSecret[] {
  if (previous.length < MAX_PREVIOUS_SECRETS) return [replaced, ...previous];
  throw new AppError(
    'webhook.too_many_secrets',
    'conflict',
    `An endpoint has at most ${MAX_PREVIOUS_SECRETS} previous secrets. The next one expires at ${previous.at(-1)!.until}`,
    { path: ['id'] },
  );
}
