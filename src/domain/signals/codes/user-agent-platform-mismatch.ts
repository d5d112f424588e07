import { claimedEngine } from '../device/claimed-engine.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import { type Kernel, kernelOfHint, kernelOfPlatform, kernelOfSystem } from '../device/system-kernel.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { DEVICE_WEIGHTS, MASKED_SYSTEM_CONFIDENCE } from '../weights.ts';

export const userAgentPlatformMismatch = {
  code: 'user_agent_platform_mismatch',
  family: 'device',
  describes: 'A browser that names one system to the server and another to its own pages has been disguised.',
  needs: 'the user agent, navigator.platform and the client hints',
  evaluate(facts) {
    const named = kernelOfSystem(facts.ua.os);
    const other = named && actualSystems(facts).find(({ kernel }) => kernel !== named);
    if (!named || !other) return null;
    return deviceEvidence({
      code: 'user_agent_platform_mismatch',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.userAgentPlatformMismatch,
      confidence: masksItsSystem(facts) ? MASKED_SYSTEM_CONFIDENCE : 1,
      source: other.source,
      observed: `user agent ${named}, ${other.name} ${other.kernel}`,
    });
  },
} satisfies SignalCode;

type Named = { source: string; name: string; kernel: Kernel };

function actualSystems({ browser, checks, headers }: SessionFacts): Named[] {
  const header = (headers['sec-ch-ua-platform'] ?? '').replaceAll('"', '');
  const candidates: [source: string, name: string, kernel: Kernel | null][] = [
    ['browser_platform', 'platform', kernelOfPlatform(browser.platform)],
    ['client_hints', 'client hints', kernelOfHint(checks?.userAgentData?.platform ?? '')],
    ['client_hints', 'client hints header', kernelOfHint(header)],
  ];
  return candidates.flatMap(([source, name, kernel]) => (kernel ? [{ source, name, kernel }] : []));
}

/**
 * Firefox with resistFingerprinting, and Tor Browser, name Windows to servers whatever the system is and keep
 * navigator.platform true (Bugzilla 1404608): its honest users must not be taken for a disguise.
 */
function masksItsSystem({ userAgent, ua }: SessionFacts): boolean {
  return claimedEngine(userAgent) === 'Gecko' && kernelOfSystem(ua.os) === 'Windows';
}
