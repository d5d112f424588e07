import { shortHash } from '../hash.ts';

/** Values by the names of their sources; missing ones are undefined. */
export type RawComponents = Readonly<Record<string, unknown>>;

/** Browsers that are known to change values on purpose, so that they differ from visit to visit. */
export type Engine = { isBrave: boolean; isGecko: boolean; isWebKit: boolean; isSamsung: boolean };

/**
 * Components that an engine changes in some of its windows. Brave: another value for each site and session
 * (https://github.com/brave/brave-browser/wiki/Fingerprinting-Protections). Firefox: canvas, installed fonts and, from
 * 143, sizes in private windows (https://bugzilla.mozilla.org/show_bug.cgi?id=1978414). Safari from 17: noise on
 * canvas and audio in private windows (https://webkit.org/blog/15697/private-browsing-2-0/); Samsung Internet: audio.
 */
const CHANGED_BY: Readonly<Record<keyof Engine, readonly string[]>> = {
  isBrave: [
    'audio',
    'canvas',
    'deviceMemory',
    'fonts',
    'gpu',
    'hardwareConcurrency',
    'plugins',
    'screenResolution',
  ],
  isGecko: ['canvas', 'fonts', 'screenResolution'],
  isWebKit: ['audio', 'canvas', 'screenResolution'],
  isSamsung: ['audio'],
};

/**
 * Components that identify a device: hardware and installed software. Values that a person or an update changes are
 * omitted (versions, time zone, window, preferences, storage), since equal components mean one device; so is noise.
 */
export function deviceComponents(raw: RawComponents, engine: Engine): Record<string, unknown> {
  const changed = new Set(
    (Object.keys(CHANGED_BY) as (keyof Engine)[]).flatMap((name) => (engine[name] ? CHANGED_BY[name] : [])),
  );
  const components: Record<string, unknown> = {
    ...pick(raw, PLAIN),
    audio: steady(raw.audio),
    canvas: steady(raw.canvas),
    fonts: Array.isArray(raw.fonts) ? raw.fonts.join() : undefined,
    languages: firstLanguage(raw.languages),
    math: hashed(raw.math),
    plugins: hashed(raw.plugins),
  };
  return Object.fromEntries(
    Object.entries(components).filter(([name, value]) => isKnown(value) && !changed.has(name)),
  );
}

const PLAIN = [
  'architecture',
  'cpuArchitecture',
  'bitness',
  'model',
  'deviceMemory',
  'hardwareConcurrency',
  'gpu',
  'osCpu',
  'platform',
  'screenResolution',
  'touchSupport',
  'vendor',
  'vendorFlavors',
];

function pick(raw: RawComponents, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, raw[name]]));
}

/** Value that was read twice, if both reads are equal. */
function steady(looks: unknown): unknown {
  const { first, second, isBlank } = (looks ?? {}) as Partial<Record<string, unknown>>;
  return first === second && isBlank !== true ? first : undefined;
}

/** Private windows of Chromium reveal only the first language. */
function firstLanguage(languages: unknown): unknown {
  return Array.isArray(languages) && Array.isArray(languages[0]) ? languages[0][0] : undefined;
}

/** Long values are compared, never read. */
function hashed(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? shortHash(JSON.stringify(value)) : undefined;
}

function isKnown(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== 0;
}
