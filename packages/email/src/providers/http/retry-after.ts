const DEFAULT_MS = 60_000;
const MIN_MS = 1000;
const MAX_MS = 60 * 60_000;

/**
 * Pause after a 429 of a provider: by `Retry-After` (seconds or a date) or else the time of `X-RateLimit-Reset` (seconds
 * since 1970); a minute without either. Between a second and an hour.
 */
export function pauseAfter(header: (name: string) => string | null, now: Date): number {
  const ms =
    retryAfterMs(header('retry-after'), now) ?? resetMs(header('x-ratelimit-reset'), now) ?? DEFAULT_MS;
  return Math.min(MAX_MS, Math.max(MIN_MS, ms));
}

function retryAfterMs(value: string | null, now: Date): number | null {
  if (value === null) return null;
  if (/^\d{1,9}(\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : date - now.getTime();
}

function resetMs(value: string | null, now: Date): number | null {
  return value !== null && /^\d{9,11}$/.test(value.trim()) ? Number(value) * 1000 - now.getTime() : null;
}
