import type { SessionFacts } from '../evidence/evidence.ts';
import type { Engine } from './claimed-engine.ts';

/** A value of the page that some engines have and others have not. */
export type EngineTrait = { name: string; engines: readonly Engine[]; kind: 'engine' | 'vendor' };

/**
 * The engines that the page's own values imply. `eval` prints as 33 characters in V8 and as 37 in SpiderMonkey and
 * JavaScriptCore; productSub is 20100101 in Gecko and 20030107 elsewhere (WHATWG HTML section 8.9.1.1); the features
 * are those of one engine alone (MDN browser-compat-data). Client hints and ApplePaySession are not among them: WebKit
 * is about to add the first, and Apple's script defines the second in every browser.
 */
export function engineTraits({ checks, device }: SessionFacts): EngineTrait[] {
  if (!checks) return [];
  const { evalLength, productSub, vendor, features } = checks;
  const traits: [exists: boolean, name: string, ...engines: Engine[]][] = [
    [evalLength === 33, "V8's eval", 'Blink'],
    [evalLength === 37, 'eval unlike that of V8', 'Gecko', 'WebKit'],
    [productSub === '20100101', "Gecko's productSub", 'Gecko'],
    [productSub === '20030107', 'productSub unlike that of Gecko', 'Blink', 'WebKit'],
    [
      Boolean(features.device_memory || features.web_usb) || device.memory !== null,
      'features of Blink',
      'Blink',
    ],
    [Boolean(features.build_id || features.moz_inner_screen), 'features of Gecko', 'Gecko'],
    [features.webkit_gesture_event === true, 'features of WebKit', 'WebKit'],
  ];
  return [
    ...traits.flatMap(([exists, name, ...engines]) =>
      exists ? { name, engines, kind: 'engine' as const } : [],
    ),
    ...vendorTrait(vendor),
  ];
}

function vendorTrait(vendor: string): EngineTrait[] {
  if (vendor === 'Google Inc.') return [{ name: "Google's vendor", engines: ['Blink'], kind: 'vendor' }];
  if (vendor !== 'Apple Computer, Inc.') return [];
  return [{ name: "Apple's vendor", engines: ['WebKit'], kind: 'vendor' }];
}
