import type { SessionFacts } from '../evidence/evidence.ts';
import { claimedEngine } from './claimed-engine.ts';
import { kernelOfPlatform, kernelOfUserAgent } from './system-kernel.ts';

/**
 * True for Firefox that resists fingerprinting, and Tor Browser: on every computer their requests name Windows, while the
 * page may read the true system (arkenfox/user.js issue 713). The values of the page then agree with each other. Also true
 * for a Firefox whose page sent only its platform: no other value can contradict it.
 */
export function isUniformFirefoxHeader({ userAgent, browser, checks }: SessionFacts): boolean {
  const platform = kernelOfPlatform(browser.platform);
  if (platform === null || platform === 'Windows') return false;
  if (claimedEngine(userAgent) !== 'Gecko' || kernelOfUserAgent(userAgent) !== 'Windows') return false;
  if (checks && checks.productSub !== '' && checks.productSub !== '20100101') return false;
  const own = checks?.iframe?.userAgent || checks?.worker?.userAgent || '';
  return own === '' || (claimedEngine(own) === 'Gecko' && kernelOfUserAgent(own) === platform);
}
