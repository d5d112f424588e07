import path from 'node:path';

export const FOLDER = path.join(import.meta.dirname, '..');
export const GENERATED = path.join(FOLDER, 'generated');
export const ROOT = path.join(FOLDER, '../..');

/** Settings of a gateway for tests: no rate limits, no network lookups. */
export const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: '0',
  COLLECTOR_LIMIT_PER_MINUTE: '0',
  SOCKET_LIMIT_PER_MINUTE: '0',
  WEBHOOK_ALLOW_LOOPBACK: '1',
  MX_LOOKUPS: 'off',
  LOG_LEVEL: 'error',
};
