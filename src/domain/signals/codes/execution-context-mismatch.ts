import type { ContextValues } from '../checks.ts';
import { claimedEngine } from '../device/claimed-engine.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { CONTEXT_CONFIDENCE, DEVICE_WEIGHTS } from '../weights.ts';

export const executionContextMismatch = {
  code: 'execution_context_mismatch',
  family: 'device',
  describes:
    'A disguise is put on the page and forgets its workers and frames, which tell what the browser is.',
  needs: 'what a worker and a frame of the page say of the browser',
  evaluate(facts) {
    const { checks } = facts;
    if (!checks) return null;
    const found = [
      ...differences('worker', checks.worker, facts),
      ...differences('iframe', checks.iframe, facts),
    ];
    if (found.length === 0) return null;
    return deviceEvidence({
      code: 'execution_context_mismatch',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.executionContextMismatch,
      confidence: Math.max(...found.map(({ confidence }) => confidence)),
      observed: [...new Set(found.map(({ what }) => what))].join(', '),
    });
  },
} satisfies SignalCode;

type Difference = { what: string; confidence: number };

/** What a context says otherwise than the window. Values that it does not tell say nothing. */
function differences(name: string, context: ContextValues | null, facts: SessionFacts): Difference[] {
  if (!context) return [];
  const { browser, device, checks, userAgent } = facts;
  const compared: [what: keyof typeof CONTEXT_CONFIDENCE, differs: boolean][] = [
    ['userAgent', differs(context.userAgent, masksHeader(facts) ? '' : userAgent)],
    ['platform', differs(context.platform, browser.platform)],
    ['language', differs(context.languages?.[0] ?? context.language, browser.languages[0] ?? '')],
    ['timezone', differs(context.timezone, browser.timezone || (checks?.timezone ?? ''))],
    [
      'cpuCores',
      context.cpuCores !== null && device.cpuCores !== null && context.cpuCores !== device.cpuCores,
    ],
    ['webdriver', context.webdriver === true && checks?.webdriver === false],
  ];
  return compared
    .filter(([, isDifferent]) => isDifferent)
    .map(([what]) => ({ what: `${what} in the ${name}`, confidence: CONTEXT_CONFIDENCE[what] }));
}

function differs(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other;
}

/** Firefox with resistFingerprinting tells servers another system than its pages. */
function masksHeader({ userAgent }: SessionFacts): boolean {
  return claimedEngine(userAgent) === 'Gecko';
}
