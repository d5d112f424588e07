import { AppError } from '@vouchgraph/platform/errors';

/*
 * Reasons for a 401 that are known without a look-up, or that a signature of ours proves. Whether a well-formed key
 * exists is not among them. The close reason of a WebSocket has at most 123 bytes.
 */
const refused = (reason: string, message: string): AppError =>
  new AppError(`auth.${reason}`, 'unauthenticated', message);

export function credentialMissing(): AppError {
  return refused('missing', 'Unauthorized: x-api-key or Authorization: Bearer is required');
}

/** A text that is not a key; `isSimilar` for one that begins as keys do, whose checksum is wrong. */
export function keyMalformed(isSimilar: boolean): AppError {
  const problem = isSimilar
    ? 'the key in x-api-key has wrong or missing characters'
    : 'x-api-key must be an API key, which begins with vg_test_ or vg_live_';
  return refused('malformed', `Unauthorized: ${problem}`);
}

export function tokenMalformed(): AppError {
  const message = 'Unauthorized: Authorization must be Bearer and a browser token or session secret';
  return refused('malformed', message);
}

export function keyAsToken(): AppError {
  const message = 'Unauthorized: API keys are sent in x-api-key, not as Authorization: Bearer';
  return refused('key_as_token', message);
}

export function tokenAsKey(): AppError {
  return refused('token_as_key', 'Unauthorized: tokens are sent as Authorization: Bearer, not in x-api-key');
}

export function tokenExpired(): AppError {
  return refused('token_expired', 'Unauthorized: the browser token has expired');
}
