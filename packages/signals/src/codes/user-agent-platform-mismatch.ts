import type { Finding } from '../automation/finding.ts';
import { hintedPlatforms } from '../device/client-hints.ts';
import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import { isUniformFirefoxHeader } from '../device/header-user-agent.ts';
import { type Kernel, kernelOfHint, kernelOfPlatform, kernelOfSystem } from '../device/system-kernel.ts';
import type { SessionFacts, SignalCode } from '../evidence/evidence.ts';
import { DISGUISE_BOT_WEIGHT } from '../evidence/weights.ts';

const WEIGHTS = { deviceRisk: 0.65, bot: DISGUISE_BOT_WEIGHT } as const;

export const userAgentPlatformMismatch = {
  code: 'user_agent_platform_mismatch',
  family: 'device',
  describes: 'Different operating systems in the user agent and in the page or the client hints.',
  needs: 'user agent; `navigator.platform`; client hints',
  limits: 'Fraud by itself: extensions that change the user agent have the same effect.',
  weights: WEIGHTS,
  evaluate(facts) {
    const named = kernelOfSystem(facts.ua.os);
    if (named === null || isUniformFirefoxHeader(facts)) return null;
    return deviceEvidence(
      {
        code: 'user_agent_platform_mismatch',
        group: 'tamper',
        weights: WEIGHTS,
      },
      [...platformFindings(facts, named), ...hintFindings(facts, named)],
    );
  },
} satisfies SignalCode;

function platformFindings({ browser }: SessionFacts, named: Kernel): Finding[] {
  const actual = kernelOfPlatform(browser.platform);
  if (actual === null || actual === named) return [];
  const observed = `user agent ${named}, platform ${actual}`;
  return [pageFinding('platform', 1, observed, 'browser_platform')];
}

function hintFindings(facts: SessionFacts, named: Kernel): Finding[] {
  return hintedPlatforms(facts).flatMap((platform) => {
    const hinted = kernelOfHint(platform);
    if (hinted === null || hinted === named) return [];
    const observed = `user agent ${named}, client hints ${hinted}`;
    return pageFinding('hints', 1, observed, 'client_hints');
  });
}
