import type { Finding } from '../automation/finding.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { DEVICE_CLASS_CONFIDENCE, SCREEN_LIMITS } from '../evidence/weights.ts';
import { claimedEngine } from './claimed-engine.ts';
import { hintedMobile } from './client-hints.ts';
import { pageFinding } from './device-evidence.ts';

/**
 * Contradictions between touch, pointers or screen and the class of the device. Laptops have touch screens, Chromebooks
 * convert to tablets, phones request desktop pages as Linux, television boxes report Android: none of these is examined.
 */
export function deviceClassFindings(facts: SessionFacts): Finding[] {
  if (facts.source !== 'web') return [];
  return [
    ...touchFindings(facts),
    ...iphoneFindings(facts),
    ...phoneFindings(facts),
    ...hintFindings(facts),
    ...macFindings(facts),
    ...pcFindings(facts),
  ];
}

/** Phones with keys (KaiOS) have no touch; every iPhone, iPad and Android phone has. */
function touchFindings({ ua, device, checks }: SessionFacts): Finding[] {
  const hasTouch = ua.deviceCategory === 'mobile' || ua.deviceType === 'iPad';
  if (!hasTouch || !/^(iOS|iPadOS|Android)/.test(ua.os)) return [];
  // Firefox that resists fingerprinting reports no touch points, but has touch events.
  if (device.touchPoints !== 0 || checks?.touchEvents === true) return [];
  const sign = checks?.touchEvents === false ? 'phoneWithoutTouch' : 'phoneWithoutTouchPoints';
  return [finding('touch', sign, `${ua.deviceType} without touch`)];
}

/** All iPhones since the first of 326 pixels an inch have ratios of 2 or 3, which no zoom changes. */
function iphoneFindings(facts: SessionFacts): Finding[] {
  const { ua, device, checks } = facts;
  if (ua.deviceType !== 'iPhone') return [];
  const side = shorterSide(facts);
  const found: Finding[] = [];
  if (side !== null && side > SCREEN_LIMITS.iphone) {
    found.push(finding('screen', 'iphoneScreen', `iPhone with a screen ${side} pixels wide`));
  }
  if (device.pixelRatio !== null && device.pixelRatio !== 2 && device.pixelRatio !== 3) {
    found.push(
      finding('pixel ratio', 'iphonePixelRatio', `iPhone with a pixel ratio of ${device.pixelRatio}`),
    );
  }
  if (checks?.pointerFine === true && checks.hover === true) {
    found.push(finding('pointer', 'iphonePointer', 'iPhone with a mouse'));
  }
  return found;
}

/** A user agent of a phone with hints of a computer. Embedded views change only one of the two. */
function phoneFindings(facts: SessionFacts): Finding[] {
  const { ua, userAgent } = facts;
  if (ua.deviceCategory !== 'mobile' || !ua.os.startsWith('Android')) return [];
  const found: Finding[] = [];
  const side = shorterSide(facts);
  if (side !== null && side > SCREEN_LIMITS.unfolded) {
    found.push(finding('screen', 'phoneScreen', `phone with a screen ${side} pixels wide`));
  }
  const isEmbedded = /; wv\)|\bVersion\/4\.0\b/.test(userAgent);
  if (/\bMobile\b/.test(userAgent) && !isEmbedded && hintedMobile(facts) === false) {
    found.push(finding('hints', 'hintedClass', 'phone with client hints of a computer'));
  }
  return found;
}

/**
 * Only for the two systems that phones do not run: for the desktop page, embedded views on Android name Linux and keep
 * the hints of a phone.
 */
function hintFindings(facts: SessionFacts): Finding[] {
  const isComputer = facts.ua.deviceType === 'Windows PC' || facts.ua.deviceType === 'Mac';
  if (!isComputer || hintedMobile(facts) !== true) return [];
  return [finding('hints', 'hintedClass', 'computer with client hints of a phone')];
}

/** No Mac has a touch screen. WebKit with touch is an iPad, and is classified as one. */
function macFindings({ ua, userAgent, device, checks }: SessionFacts): Finding[] {
  if (ua.deviceType !== 'Mac' || claimedEngine(userAgent) !== 'Blink') return [];
  const found: Finding[] = [];
  if ((device.touchPoints ?? 0) > 0) found.push(finding('touch', 'macWithTouch', 'Mac with touch points'));
  if (checks?.pointerCoarse === true && checks.anyPointerFine === false) {
    found.push(finding('pointer', 'macWithoutPointer', 'Mac without mouse and trackpad'));
  }
  return found;
}

/** Tablets with Windows are held upright too, but are twice as wide. */
function pcFindings(facts: SessionFacts): Finding[] {
  const { ua, device, checks } = facts;
  const side = shorterSide(facts);
  if (ua.deviceType !== 'Windows PC' || !checks || side === null || side >= SCREEN_LIMITS.phone) return [];
  const isHeld =
    checks.orientation.startsWith('portrait') &&
    checks.pointerCoarse === true &&
    checks.anyPointerFine === false;
  if (!isHeld || (device.touchPoints ?? 0) === 0) return [];
  return [finding('screen', 'pcOfPhoneSize', 'Windows PC with the screen size of a phone')];
}

function shorterSide({ device }: SessionFacts): number | null {
  const { screenWidth, screenHeight } = device;
  return screenWidth === null || screenHeight === null ? null : Math.min(screenWidth, screenHeight);
}

function finding(kind: string, sign: keyof typeof DEVICE_CLASS_CONFIDENCE, observed: string): Finding {
  return pageFinding(kind, DEVICE_CLASS_CONFIDENCE[sign], observed);
}
