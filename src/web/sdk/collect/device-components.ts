import { shortHash } from '../hash.ts';

/** Values by the names of their sources; missing ones are undefined. */
export type RawComponents = Readonly<Record<string, unknown>>;

/** What the browser is known to do to the values, so that they change from visit to visit. */
export type Noise = {
  /** Brave: another value for each site and each day ("farbling"). */
  isBrave: boolean;
  /** Safari from 17 and Samsung Internet from 26 add noise to audio in some windows. */
  hasNoisyAudio: boolean;
};

/** https://github.com/brave/brave-browser/wiki/Fingerprinting-Protections */
const FARBLED = [
  'audio',
  'canvas',
  'deviceMemory',
  'fonts',
  'hardwareConcurrency',
  'plugins',
  'screenResolution',
  'webGl',
];

/**
 * The components that a device is known by: hardware and what is installed. Whatever a person or an update changes is
 * left out (versions, time zone, window, preferences, storage), as equal components are one device; so is noise.
 */
export function deviceComponents(raw: RawComponents, noise: Noise): Record<string, unknown> {
  const unstable = new Set([
    ...(noise.isBrave ? FARBLED : []),
    ...(noise.hasNoisyAudio ? ['audio'] : []),
    ...(isSteady(raw.audio) ? [] : ['audio']),
  ]);
  const components = {
    ...pick(raw, PLAIN),
    audio: steadySum(raw.audio),
    canvas: canvasOf(raw.canvas),
    fonts: Array.isArray(raw.fonts) ? raw.fonts.join() : undefined,
    languages: firstLanguage(raw.languages),
    math: hashed(raw.math),
    plugins: hashed(raw.plugins),
    webGl: hashed(raw.webGlExtensions),
    gpu: gpuOf(raw.webGlBasics),
  };
  return Object.fromEntries(
    Object.entries(components).filter(
      ([name, value]) => value !== undefined && value !== null && !unstable.has(name),
    ),
  );
}

const PLAIN = [
  'architecture',
  'cpuArchitecture',
  'bitness',
  'model',
  'deviceMemory',
  'hardwareConcurrency',
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

function isSteady(audio: unknown): boolean {
  const { first, second } = fields(audio);
  return typeof first === 'number' && first === second && first > 0;
}

function steadySum(audio: unknown): number | undefined {
  return isSteady(audio) ? (fields(audio).first as number) : undefined;
}

function canvasOf(canvas: unknown): string | undefined {
  const { winding, geometry, text } = fields(canvas);
  return typeof text === 'string' ? shortHash(`${winding} ${geometry} ${text}`) : undefined;
}

/** Private windows of Chromium tell the first language only. */
function firstLanguage(languages: unknown): unknown {
  return Array.isArray(languages) && Array.isArray(languages[0]) ? languages[0][0] : undefined;
}

function gpuOf(basics: unknown): string | undefined {
  const { vendor, vendorUnmasked, renderer, rendererUnmasked } = fields(basics);
  const shown = [vendorUnmasked || vendor, rendererUnmasked || renderer].filter(
    (each) => typeof each === 'string' && each !== '',
  );
  return shown.length > 0 ? shown.join(' ') : undefined;
}

/** Long values are compared, never read. */
function hashed(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? shortHash(JSON.stringify(value)) : undefined;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
