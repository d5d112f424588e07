import { LRUCache } from 'lru-cache';
import { type IResult, UAParser } from 'ua-parser-js';
import { type BotDeclaration, readBotDeclaration } from './bot-declaration.ts';
import { claimedEngine } from './claimed-engine.ts';

export type DeviceCategory =
  | 'desktop'
  | 'mobile'
  | 'tablet'
  | 'console'
  | 'smarttv'
  | 'wearable'
  | 'embedded'
  | 'other';

/** Facts of a user agent. Unknown text is ''. */
export type UserAgentFacts = {
  /** As Chrome, Safari, Edge. */
  browserType: string;
  /** In full, as 137.0.0.0. */
  browserVersion: string;
  deviceCategory: DeviceCategory;
  /** As Mac, iPhone, Windows PC, Android phone. */
  deviceType: string;
  /** With its version, as macOS 10.15.7. */
  os: string;
  /** Declaration of the user agent that the client is a program; null without one. */
  bot: BotDeclaration | null;
};

/** Parsing takes tens of microseconds, and a few strings make up most of the traffic. */
const PARSED = new LRUCache<string, UserAgentFacts>({ max: 2000 });

const UNKNOWN_USER_AGENT: UserAgentFacts = {
  browserType: '',
  browserVersion: '',
  deviceCategory: 'other',
  deviceType: '',
  os: '',
  bot: null,
};

/** Describes the browser and the device. The hints correct what iPads hide. */
export function describeUserAgent(
  userAgent: string,
  hints: { touchPoints?: number | null; platform?: string },
): UserAgentFacts {
  if (userAgent.trim() === '') return UNKNOWN_USER_AGENT;
  const facts = parseCached(userAgent);
  return isDisguisedIpad(userAgent, facts, hints) ? { ...facts, ...IPAD } : facts;
}

/** The user agent's version is that of a Mac, so the tablet's is not known. */
const IPAD = { deviceCategory: 'tablet', deviceType: 'iPad', os: 'iPadOS' } as const;

/**
 * Since iPadOS 13 an iPad calls itself a Mac (Apple, "Introducing Desktop-class Browsing"), in Safari, in Chrome and in
 * every app that shows web pages. No Mac has touch points, and no iPad another engine than WebKit.
 */
function isDisguisedIpad(
  userAgent: string,
  facts: UserAgentFacts,
  { touchPoints, platform }: { touchPoints?: number | null; platform?: string },
): boolean {
  if (facts.deviceType !== 'Mac' || claimedEngine(userAgent) !== 'WebKit') return false;
  return (touchPoints ?? 0) > 1 && (!platform || /^(Mac|iPad)/.test(platform));
}

function parseCached(userAgent: string): UserAgentFacts {
  const cached = PARSED.get(userAgent);
  if (cached) return cached;
  const facts = parse(userAgent);
  PARSED.set(userAgent, facts);
  return facts;
}

function parse(userAgent: string): UserAgentFacts {
  const { browser, device, os } = new UAParser(userAgent).getResult();
  const system = systemName(os);
  const category = categoryOf(userAgent, device, system);
  return {
    browserType: (browser.name ?? '').replace(/^Mobile /, ''),
    browserVersion: numbered(browser.version),
    deviceCategory: category,
    deviceType: deviceTypeOf(category, device, system),
    os: `${system} ${os.version ?? ''}`.trim(),
    bot: readBotDeclaration(userAgent),
  };
}

function systemName({ name = '' }: IResult['os']): string {
  if (name === 'Mac OS') return 'macOS';
  return name === 'Chromium OS' ? 'Chrome OS' : name;
}

function numbered(version: string | undefined): string {
  return version !== undefined && /^\d/.test(version) ? version : '';
}

const CATEGORIES: ReadonlySet<string> = new Set([
  'mobile',
  'tablet',
  'console',
  'smarttv',
  'wearable',
  'embedded',
]);

const DESKTOP_SYSTEMS =
  /^(Windows|macOS|Chrome OS|Linux|[KLX]?ubuntu|Debian|Fedora|Arch|Mint|Manjaro|CentOS|RedHat|SUSE|Gentoo|FreeBSD|OpenBSD|NetBSD)$/i;

function categoryOf(userAgent: string, { type }: IResult['device'], system: string): DeviceCategory {
  if (/wear ?os|watch ?os/i.test(userAgent)) return 'wearable';
  if (/echo show|\bAndroid [\d.]+; (?:Meta )?Portal\b/i.test(userAgent)) return 'embedded';
  if (type !== undefined && CATEGORIES.has(type)) return type as DeviceCategory;
  return type === undefined && DESKTOP_SYSTEMS.test(system) ? 'desktop' : 'other';
}

function deviceTypeOf(category: DeviceCategory, device: IResult['device'], system: string): string {
  const { model = '', vendor = '' } = device;
  if (category === 'mobile') return /^(iPhone|iPod)/.test(model) ? model : phoneType(system);
  if (category === 'tablet') return model === 'iPad' ? model : `${system} tablet`.trim();
  if (category === 'desktop') return desktopType(system);
  if (category === 'smarttv') return 'Smart TV';
  return category === 'other' ? '' : model || vendor;
}

function phoneType(system: string): string {
  return /phone$/i.test(system) ? system : `${system} phone`.trim();
}

function desktopType(system: string): string {
  if (system === 'macOS') return 'Mac';
  if (system === 'Chrome OS') return 'Chromebook';
  if (system === 'Windows' || system.endsWith('BSD')) return `${system} PC`;
  return 'Linux PC';
}
