import type { Checks } from '../checks.ts';
import type { Engine } from './claimed-engine.ts';

/** One value of the page that belongs to some engines and not to others. */
export type EngineTrait = { name: string; engines: readonly Engine[] };

/**
 * The engines that the page's own values stand for. `eval` prints as 33 characters in V8 and as 37 in SpiderMonkey and
 * JavaScriptCore; productSub is 20100101 in Gecko and 20030107 in the others (WHATWG HTML section 8.9.1.1); vendor is
 * empty in Gecko; the other names are those of one engine alone (MDN browser-compat-data).
 */
export function engineTraits(checks: Checks): EngineTrait[] {
  const traits: EngineTrait[] = [];
  const add = (name: string, ...engines: Engine[]) => traits.push({ name, engines });
  if (checks.evalLength === 33) add('eval length 33', 'Blink');
  if (checks.evalLength === 37) add('eval length 37', 'Gecko', 'WebKit');
  if (checks.productSub === '20100101') add('productSub of Gecko', 'Gecko');
  if (checks.productSub === '20030107') add('productSub of WebKit and Blink', 'Blink', 'WebKit');
  if (checks.vendor === 'Google Inc.') add('vendor Google', 'Blink');
  if (checks.vendor === 'Apple Computer, Inc.') add('vendor Apple', 'WebKit');
  const { features } = checks;
  if (features.user_agent_data) add('client hints', 'Blink');
  if (features.build_id || features.moz_appearance || features.moz_inner_screen)
    add('features of Gecko', 'Gecko');
  if (features.webkit_gesture_event || features.apple_pay) add('features of WebKit', 'WebKit');
  return traits;
}
