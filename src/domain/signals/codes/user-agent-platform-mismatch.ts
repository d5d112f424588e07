import { type SignalCode, weigh } from '../evidence.ts';
import { DEVICE_WEIGHTS } from '../weights.ts';

export const userAgentPlatformMismatch = {
  code: 'user_agent_platform_mismatch',
  family: 'device',
  describes: 'A browser that names one system to the server and another to its own pages has been disguised.',
  needs: 'the user agent, navigator.platform and the client hints',
  evaluate({ ua, browser }) {
    const named = kernelOfSystem(ua.os);
    const actual = kernelOfPlatform(browser.platform);
    if (named === null || actual === null || named === actual) return null;
    return {
      code: 'user_agent_platform_mismatch',
      family: 'device',
      group: 'tamper',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.userAgentPlatformMismatch }, 1),
      confidence: 1,
      source: 'browser_platform',
      sourceAsOf: null,
      observed: `user agent ${named}, platform ${actual}`,
    };
  },
} satisfies SignalCode;

/**
 * Systems are compared by what they are built on, since honest browsers differ within it: an iPad calls itself a Mac,
 * Android's platform is Linux, and a telephone asked for the desktop page names a desktop of the same kind.
 */
type Kernel = 'Windows' | 'Apple' | 'Linux';

function kernelOfSystem(os: string): Kernel | null {
  if (/^windows/i.test(os)) return 'Windows';
  if (/^(macos|ios|ipados)/i.test(os)) return 'Apple';
  return /^(android|linux|ubuntu|debian|fedora|chrome os)/i.test(os) ? 'Linux' : null;
}

/** `navigator.platform`, whose values WHATWG HTML section 8.9.1.1 and the browsers' habits fix. */
function kernelOfPlatform(platform: string): Kernel | null {
  if (/^win/i.test(platform)) return 'Windows';
  if (/^(mac|iphone|ipad|ipod)/i.test(platform)) return 'Apple';
  return /^(linux|android)/i.test(platform) ? 'Linux' : null;
}
