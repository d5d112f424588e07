import { noisyOr } from '../combine.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { DEVICE_CLASS_CONFIDENCE, DEVICE_WEIGHTS } from '../weights.ts';

export const deviceClassMismatch = {
  code: 'device_class_mismatch',
  family: 'device',
  describes: 'A computer that calls itself a telephone, or the other way round, has been disguised.',
  needs: 'the user agent, touch points, pointer and hover, the mobile client hint',
  evaluate(facts) {
    const signs = signsOf(facts);
    if (signs.length === 0) return null;
    return deviceEvidence({
      code: 'device_class_mismatch',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.deviceClassMismatch,
      confidence: noisyOr(signs.map((sign) => DEVICE_CLASS_CONFIDENCE[sign])),
      observed: signs.map((sign) => OBSERVED[sign]).join(', '),
    });
  },
} satisfies SignalCode;

type Sign = keyof typeof DEVICE_CLASS_CONFIDENCE;

const OBSERVED: Record<Sign, string> = {
  noTouch: 'a telephone without touch',
  mouseOnly: 'a telephone with a mouse and no touch screen',
  mobileHint: 'a computer whose client hints say mobile',
  desktopHint: 'a telephone whose client hints say not mobile',
};

function signsOf(facts: SessionFacts): Sign[] {
  const { ua, checks, device, headers } = facts;
  const isPhone = ua.deviceCategory === 'mobile';
  const isHandheld = isPhone || ua.deviceCategory === 'tablet';
  const hint = checks?.userAgentData?.mobile ?? mobileHeader(headers);
  const signs: [Sign, boolean][] = [
    ['noTouch', isHandheld && (device.touchPoints === 0 || checks?.touchEvents === false)],
    // A mouse may be plugged into a telephone; one without any coarse pointer is none.
    ['mouseOnly', isPhone && checks?.pointerFine === true && checks.pointerCoarse === false],
    ['mobileHint', ua.deviceCategory === 'desktop' && hint === true],
    // Tablets honestly say not mobile.
    ['desktopHint', isPhone && hint === false],
  ];
  return signs.filter(([, holds]) => holds).map(([sign]) => sign);
}

function mobileHeader(headers: Readonly<Record<string, string>>): boolean | null {
  const value = headers['sec-ch-ua-mobile'];
  return value === '?1' ? true : value === '?0' ? false : null;
}
