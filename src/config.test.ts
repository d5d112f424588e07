import { OperatorError } from '@vouchgraph/platform/errors';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

function refusalOf(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return (error as Error).message;
  }
  throw new Error('not refused');
}

describe('invalid settings are rejected with the accepted values', () => {
  it.each([
    ['PORT', 'x', 'must be a whole number between 0 and 65535'],
    ['PORT', '70000', 'must be a whole number between 0 and 65535'],
    ['PORT', '1.5', 'must be a whole number between 0 and 65535'],
    ['PORT', '-1.5', 'must be a whole number between 0 and 65535'],
    ['DATABASE_POOL_SIZE', '0', 'must be a whole number between 1 and 500'],
    ['DRAIN_DELAY_MS', '5001', 'must be a whole number between 0 and 5000'],
    ['RATE_LIMIT_PER_MINUTE', '-1', 'must be a whole number of at least 0'],
    ['PATCH_BYTES_PER_MINUTE', 'many', 'must be a whole number of at least 0'],
    ['EVENT_RETENTION_DAYS', '0', 'must be a whole number between 1 and 3650'],
    [
      'SESSION_RETENTION_DAYS',
      '31',
      'must be 0 or at least 32, because results of checks are stored for 31 days',
    ],
    ['SESSION_RETENTION_DAYS', 'x', 'must be a whole number between 0 and 36500'],
    ['VISION_WORKERS', '17', 'must be a whole number between 1 and 16'],
    ['LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, silent'],
    ['MX_LOOKUPS', 'yes', 'must be one of on, off'],
    ['WEBHOOK_ALLOW_LOOPBACK', 'true', 'must be one of 0, 1'],
    ['MEDIA_DRIVER', 'gcs', 'must be one of disk, s3'],
    ['DATABASE_URL', 'mysql://db', 'must be a URL such as postgresql://user@db.example.com/vouchgraph'],
    ['PUBLIC_URL', 'id.example.com', 'must be a URL such as https://id.example.com'],
    ['PUBLIC_URL', 'ftp://id.example.com', 'must be a URL such as https://id.example.com'],
    ['MEDIA_S3_ENDPOINT', 's3', 'must be a URL such as https://s3.example.com'],
    ['TRUSTED_PROXIES', '::ffff:10.0.0.0/8', 'must be IP addresses or CIDR ranges, separated by commas'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'must be IP addresses or CIDR ranges, separated by commas'],
    [
      'DNS_SERVERS',
      'dns',
      'must be IP addresses, separated by commas, each with a port unless the port is 53',
    ],
    ['EDGE_POSITION', 'Berlin', 'must be latitude,longitude in degrees, such as 50.11,8.68'],
    ['EDGE_POSITION', '0,0', 'must be a place on the Earth other than 0,0'],
    ['EDGE_POSITION', '91,8', 'must be a place on the Earth other than 0,0'],
    ['MEDIA_DRIVER', 's3', 'is required if MEDIA_DRIVER is s3', 'MEDIA_S3_BUCKET'],
  ])('%s=%s', (variable, value, text, named = variable) => {
    expect(refusalOf({ [variable]: value })).toBe(`Invalid settings: ${named}: ${text}`);
  });

  it('all invalid settings are reported together, and an empty variable counts as unset', () => {
    expect(refusalOf({ PORT: 'x', HOST: '', MX_LOOKUPS: 'x', LOG_LEVEL: '' })).toBe(
      'Invalid settings: PORT: must be a whole number between 0 and 65535; MX_LOOKUPS: must be one of on, off',
    );
  });
});
