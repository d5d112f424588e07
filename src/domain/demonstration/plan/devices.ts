import type { SessionFactsInput } from '@vouchgraph/signals';

/** A browser on an operating system, as its page reports it. */
const BROWSERS = {
  windows: {
    platform: 'Win32',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
  },
  mac: {
    platform: 'MacIntel',
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  },
  iphone: {
    platform: 'iPhone',
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  },
  android: {
    platform: 'Linux armv81',
    userAgent:
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
  },
  headless: {
    platform: 'Linux x86_64',
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/137.0.0.0 Safari/537.36',
  },
  crawler: {
    platform: '',
    userAgent: 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  },
} as const;

export type BrowserKind = keyof typeof BROWSERS;

/** Browsers of ordinary people, from which the plan takes turns. */
export const USUAL_BROWSERS = ['windows', 'iphone', 'android', 'mac'] as const;

export const userAgentOf = (browser: BrowserKind): string => BROWSERS[browser].userAgent;

/** Facts that a page on this browser sends. */
export function factsOf(browser: BrowserKind, timezone: string, language: string): SessionFactsInput {
  const { platform, userAgent } = BROWSERS[browser];
  return { browser: { userAgent, platform, timezone, language, languages: [language] } };
}
