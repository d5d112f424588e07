import { isIP } from 'node:net';
import path from 'node:path';
import type { OnlineSettings } from '@vouchgraph/email/configured-providers';
import { parseTrustedProxy } from '@vouchgraph/platform/client-address';
import { OperatorError } from '@vouchgraph/platform/errors';
import { wholeText } from '@vouchgraph/platform/wording';
import { coordinatesOf } from '@vouchgraph/signals/coordinates';
import { z } from 'zod';

/** An integer in a variable, with one message for all invalid values. */
function whole(min: number, max?: number) {
  const text = wholeText(min, max);
  return z.coerce
    .number(text)
    .int(text)
    .min(min, text)
    .max(max ?? Number.MAX_SAFE_INTEGER, text);
}

const url = (example: string) => z.url({ protocol: /^https?$/, error: `must be a URL such as ${example}` });

/** A key for an HTTP header; the message does not repeat it. */
const headerValue = z
  .string()
  .regex(/^[\x21-\x7e]{1,512}$/, 'must be at most 512 printable ASCII characters without spaces');

function areRanges(list: string): boolean {
  return listOf(list).every((range) => parseTrustedProxy(range) !== null);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function positionOf(text: string): { latitude: number; longitude: number } {
  const [latitude = 0, longitude = 0] = text.split(',').map(Number);
  return { latitude, longitude };
}

/** `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:5353`. */
function areServers(list: string): boolean {
  return listOf(list).every((server) => {
    const match = /^(?:\[([^\]]+)\]|([^:]+|[^[]*::[^\]]*))(?::(\d{1,5}))?$/.exec(server);
    return match !== null && isIP(match[1] ?? match[2] ?? '') !== 0;
  });
}

/** Every setting of the service, under its environment variable. docs/configuration.md describes them. */
const environmentShape = z.object({
  PORT: whole(0, 65_535).default(4000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a URL such as postgresql://user@db.example.com/vouchgraph')
    .optional(),
  MASTER_KEY: z.string().optional(),
  DATABASE_POOL_SIZE: whole(1, 500).default(10),
  DRAIN_DELAY_MS: whole(0, 5000).default(3000),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('warn'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .refine(areRanges, 'must be IP addresses or CIDR ranges, separated by commas'),
  RATE_LIMIT_PER_MINUTE: whole(0).default(300),
  COLLECTOR_LIMIT_PER_MINUTE: whole(0).default(60),
  FAILED_KEY_LIMIT_PER_MINUTE: whole(0).default(300),
  SOCKET_LIMIT_PER_MINUTE: whole(0).default(600),
  MAX_SOCKETS_PER_KEY: whole(0).default(10_000),
  SOCKET_MESSAGES_PER_SECOND: whole(0).default(200),
  KEY_MESSAGES_PER_SECOND: whole(0).default(2000),
  PATCH_LIMIT_PER_MINUTE: whole(0).default(1500),
  PATCH_BYTES_PER_MINUTE: whole(0).default(3 * 1024 * 1024),
  PUBLIC_URL: url('https://id.example.com').optional(),
  EDGE_POSITION: z
    .string()
    .regex(/^-?\d{1,2}(\.\d+)?,\s*-?\d{1,3}(\.\d+)?$/, {
      error: 'must be latitude,longitude in degrees, such as 50.11,8.68',
      abort: true,
    })
    .refine((text) => coordinatesOf(positionOf(text)) !== null, 'must be a place on the Earth other than 0,0')
    .optional(),
  EVENT_RETENTION_DAYS: whole(1, 3650).default(30),
  SESSION_RETENTION_DAYS: whole(0, 36_500)
    .refine(
      (days) => days === 0 || days > 31,
      'must be 0 or at least 32, because results of checks are stored for 31 days',
    )
    .default(0),
  EMAIL_RETENTION_DAYS: whole(0, 36_500).default(90),
  AUDIT_VALUE_RETENTION_DAYS: whole(0, 36_500).default(365),
  WEBHOOK_ALLOW_LOOPBACK: z.enum(['0', '1']).default('0'),
  FEEDS_DIR: z.string().optional(),
  EMAIL_DATA_DIR: z.string().optional(),
  HIBP_API_KEY: headerValue.optional(),
  HIBP_URL: url('https://haveibeenpwned.com').default('https://haveibeenpwned.com'),
  HIBP_REQUESTS_PER_MINUTE: whole(1, 100_000).default(10),
  GRAVATAR_API_KEY: headerValue.optional(),
  GRAVATAR_URL: url('https://api.gravatar.com').default('https://api.gravatar.com'),
  GRAVATAR_REQUESTS_PER_HOUR: whole(1, 1_000_000).default(1000),
  MX_LOOKUPS: z.enum(['on', 'off']).default('on'),
  DNS_SERVERS: z
    .string()
    .default('')
    .refine(areServers, 'must be IP addresses, separated by commas, each with a port unless the port is 53'),
  EMAIL_IMPORT_MAX_BYTES: whole(1024).default(256 * 1024 * 1024),
  MEDIA_DRIVER: z.enum(['disk', 's3']).default('disk'),
  MEDIA_DIR: z.string().optional(),
  VISION_WORKERS: whole(1, 16).default(1),
  MEDIA_RETENTION_DAYS: whole(1, 3650).default(30),
  MEDIA_S3_BUCKET: z.string().optional(),
  MEDIA_S3_REGION: z.string().default('us-east-1'),
  MEDIA_S3_ENDPOINT: url('https://s3.example.com').optional(),
  MEDIA_S3_ACCESS_KEY_ID: z.string().optional(),
  MEDIA_S3_SECRET_ACCESS_KEY: z.string().optional(),
  MEDIA_S3_FORCE_PATH_STYLE: z.enum(['0', '1']).default('0'),
});

type Environment = z.infer<typeof environmentShape>;

const settingsShape = environmentShape.superRefine((data, context) => {
  const mistake = (name: keyof Environment, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (data.MEDIA_DRIVER === 's3' && data.MEDIA_S3_BUCKET === undefined)
    mistake('MEDIA_S3_BUCKET', 'is required if MEDIA_DRIVER is s3');
  if (data.WEBHOOK_ALLOW_LOOPBACK === '1' && data.PUBLIC_URL !== undefined)
    mistake('WEBHOOK_ALLOW_LOOPBACK', 'is for development only, and cannot be combined with PUBLIC_URL');
  if ((data.MEDIA_S3_ACCESS_KEY_ID === undefined) !== (data.MEDIA_S3_SECRET_ACCESS_KEY === undefined))
    mistake('MEDIA_S3_SECRET_ACCESS_KEY', 'must be set together with MEDIA_S3_ACCESS_KEY_ID');
});

export type Config = {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** An existing PostgreSQL; the gateway's own when undefined. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  /** 32 bytes as base64 or hex; generated into the data folder when undefined. */
  readonly masterKey: string | undefined;
  /** How long requests are served after SIGTERM while readiness fails. */
  readonly drainDelayMs: number;
  readonly logLevel: string;
  /** Addresses or CIDR ranges of trusted proxies, whose X-Forwarded-For is used. */
  readonly trustedProxies: readonly string[];
  /** Requests a minute for each key; 0 is no limit. */
  readonly rateLimitPerMinute: number;
  /** Sessions that one address may open a minute without a key; 0 is no limit. */
  readonly collectorLimitPerMinute: number;
  /** Failed attempts to use a key, token or secret a minute for each address; 0 is no limit. */
  readonly failedKeyLimitPerMinute: number;
  /** New WebSockets a minute for each address; 0 is no limit. */
  readonly socketLimitPerMinute: number;
  /** Open WebSockets of one key or token in this process; 0 is no limit. */
  readonly maxSocketsPerKey: number;
  /** Messages that a WebSocket, and all WebSockets of a key, may send per second; 0 is no limit. */
  readonly socketMessagesPerSecond: number;
  readonly keyMessagesPerSecond: number;
  /** Requests and bytes with which the pages of one address may add facts a minute; 0 is no limit. */
  readonly patchLimitPerMinute: number;
  readonly patchBytesPerMinute: number;
  /** Address under which clients reach the service, when it differs from host and port. */
  readonly publicUrl: string | undefined;
  /** How long events can be read again and resent. */
  readonly eventRetentionDays: number;
  /** Retention of sessions of accounts in days; 0 is without limit. */
  readonly sessionRetentionDays: number;
  /** Retention of completed email checks in days; 0 is without limit. */
  readonly emailRetentionDays: number;
  readonly auditValueRetentionDays: number;
  /** Whether webhooks of sandbox projects may be sent over http to loopback addresses. */
  readonly webhookAllowLoopback: boolean;
  /** Location of the proxy that measures round trips; undefined when it is unknown. */
  readonly edgePosition: { latitude: number; longitude: number } | undefined;
  /** Where operators mount their lists of addresses. */
  readonly feedsDir: string;
  /** Folder of imported breaches and profiles. */
  readonly emailDataDir: string;
  /** Online providers of breaches and profiles; those without a key are not queried. */
  readonly emailProviders: OnlineSettings;
  /** Whether mail domains are looked up at name servers. */
  readonly mxLookups: boolean;
  /** Name servers; the machine's own when empty. */
  readonly dnsServers: readonly string[];
  /** Largest file of email addresses that a client may upload, in bytes. */
  readonly emailImportMaxBytes: number;
  /** Storage of images and videos of verifications. */
  readonly media: MediaSettings;
  /** Retention of images and videos. */
  readonly mediaRetentionDays: number;
  /** Number of images that are read concurrently, each in its own worker. */
  readonly visionWorkers: number;
};

type MediaSettings =
  | { readonly driver: 'disk'; readonly folder: string }
  | {
      readonly driver: 's3';
      readonly bucket: string;
      readonly region: string;
      readonly endpoint: string | undefined;
      readonly credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
      readonly forcePathStyle: boolean;
    };

class ConfigError extends OperatorError {}

/** Reads the settings and reports all invalid ones together. An empty variable counts as unset. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settingsShape.safeParse(given);
  if (!parsed.success) {
    // A number can break several rules of its variable, which have one text.
    const mistakes = new Set(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
    throw new ConfigError(`Invalid settings: ${[...mistakes].join('; ')}`);
  }
  const { data } = parsed;
  return Object.freeze({
    port: data.PORT,
    host: data.HOST,
    dataDir: path.resolve(data.DATA_DIR),
    databaseUrl: data.DATABASE_URL,
    databasePoolSize: data.DATABASE_POOL_SIZE,
    masterKey: data.MASTER_KEY,
    drainDelayMs: data.DRAIN_DELAY_MS,
    logLevel: data.LOG_LEVEL,
    trustedProxies: listOf(data.TRUSTED_PROXIES),
    rateLimitPerMinute: data.RATE_LIMIT_PER_MINUTE,
    collectorLimitPerMinute: data.COLLECTOR_LIMIT_PER_MINUTE,
    failedKeyLimitPerMinute: data.FAILED_KEY_LIMIT_PER_MINUTE,
    socketLimitPerMinute: data.SOCKET_LIMIT_PER_MINUTE,
    maxSocketsPerKey: data.MAX_SOCKETS_PER_KEY,
    socketMessagesPerSecond: data.SOCKET_MESSAGES_PER_SECOND,
    keyMessagesPerSecond: data.KEY_MESSAGES_PER_SECOND,
    patchLimitPerMinute: data.PATCH_LIMIT_PER_MINUTE,
    patchBytesPerMinute: data.PATCH_BYTES_PER_MINUTE,
    publicUrl: data.PUBLIC_URL,
    edgePosition: data.EDGE_POSITION === undefined ? undefined : positionOf(data.EDGE_POSITION),
    eventRetentionDays: data.EVENT_RETENTION_DAYS,
    sessionRetentionDays: data.SESSION_RETENTION_DAYS,
    emailRetentionDays: data.EMAIL_RETENTION_DAYS,
    auditValueRetentionDays: data.AUDIT_VALUE_RETENTION_DAYS,
    webhookAllowLoopback: data.WEBHOOK_ALLOW_LOOPBACK === '1',
    feedsDir: path.resolve(data.FEEDS_DIR ?? path.join(data.DATA_DIR, 'feeds')),
    emailDataDir: path.resolve(data.EMAIL_DATA_DIR ?? path.join(data.DATA_DIR, 'email-data')),
    emailProviders: emailProvidersOf(data),
    mxLookups: data.MX_LOOKUPS === 'on',
    dnsServers: listOf(data.DNS_SERVERS),
    emailImportMaxBytes: data.EMAIL_IMPORT_MAX_BYTES,
    media: mediaOf(data),
    mediaRetentionDays: data.MEDIA_RETENTION_DAYS,
    visionWorkers: data.VISION_WORKERS,
  });
}

/** Whether npm started this process by one of the project's scripts. */
export function isStartedByNpm({ npm_lifecycle_script = '' } = process.env): boolean {
  return /src\/main\.ts|bin\/vouchgraph/.test(npm_lifecycle_script);
}

function emailProvidersOf(data: Environment): OnlineSettings {
  const access = (key: string | undefined, url: string, requests: number) =>
    key === undefined ? undefined : { key, url, requests };
  return {
    hibp: access(data.HIBP_API_KEY, data.HIBP_URL, data.HIBP_REQUESTS_PER_MINUTE),
    gravatar: access(data.GRAVATAR_API_KEY, data.GRAVATAR_URL, data.GRAVATAR_REQUESTS_PER_HOUR),
  };
}

function mediaOf(data: Environment): MediaSettings {
  if (data.MEDIA_DRIVER === 'disk') {
    return { driver: 'disk', folder: path.resolve(data.MEDIA_DIR ?? path.join(data.DATA_DIR, 'media')) };
  }
  const { MEDIA_S3_ACCESS_KEY_ID: accessKeyId, MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey } = data;
  return {
    driver: 's3',
    bucket: data.MEDIA_S3_BUCKET!,
    region: data.MEDIA_S3_REGION,
    endpoint: data.MEDIA_S3_ENDPOINT,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    forcePathStyle: data.MEDIA_S3_FORCE_PATH_STYLE === '1',
  };
}
