import { attempt } from '../attempt.ts';
import type { Facts } from '../facts.ts';

/*
 * Facts available synchronously in the window. Browsers have fewer values than the types of the standard: each value is
 * read separately, so that a missing or forbidden one does not affect the others.
 */

type Unknown = Readonly<Record<string, unknown>>;

const read = <Value>(get: () => Value): Value | undefined => attempt<Value | undefined>(get, undefined);

/** Cuts a value to its limit. The service rejects longer values, and an unusual browser must not be lost. */
function text(get: () => string, longest: number): string | undefined {
  return read(() => get().slice(0, longest));
}

function whole(get: () => number, largest: number): number | undefined {
  const value = read(() => Math.round(get()));
  return value !== undefined && Math.abs(value) <= largest ? value : undefined;
}

/** Facts of browser and device from navigator and screen. */
export function basicFacts(): Facts {
  return {
    browser: {
      user_agent: text(() => navigator.userAgent, 2048),
      language: text(() => navigator.language, 64),
      languages: read(() => Array.from(navigator.languages, (each) => each.slice(0, 64)).slice(0, 32)),
      timezone: text(() => Intl.DateTimeFormat().resolvedOptions().timeZone, 64),
      timezone_offset_minutes: whole(() => new Date().getTimezoneOffset(), 1440),
      platform: text(() => navigator.platform, 128),
    },
    device: {
      cpu_cores: whole(() => navigator.hardwareConcurrency, 4096),
      memory: read(() => (navigator as unknown as Unknown).deviceMemory),
      screen_width: whole(() => screen.width, 100_000),
      screen_height: whole(() => screen.height, 100_000),
      pixel_ratio: read(() => devicePixelRatio),
      touch_points: whole(() => navigator.maxTouchPoints, 1000),
    },
  };
}

/** Sizes of the window and the screen, and capabilities of the pointer. `sized` resolves when the window has a size. */
export async function screenFacts(sized: Promise<void>): Promise<Facts> {
  await sized;
  return {
    checks: {
      outer_width: read(() => outerWidth),
      outer_height: read(() => outerHeight),
      inner_width: read(() => innerWidth),
      inner_height: read(() => innerHeight),
      screen_avail_width: read(() => screen.availWidth),
      screen_avail_height: read(() => screen.availHeight),
      color_depth: read(() => screen.colorDepth),
      orientation: read(() => screen.orientation.type),
      pointer_fine: matches('(pointer: fine)'),
      pointer_coarse: matches('(pointer: coarse)'),
      hover: matches('(hover: hover)'),
      any_pointer_fine: matches('(any-pointer: fine)'),
      touch_events: read(() => 'ontouchstart' in window),
    },
  };
}

/** Characteristics of the engine that no setting changes. */
export function engineFacts(): Facts {
  return {
    checks: {
      webdriver: read(() => navigator.webdriver),
      plugins_count: read(() => navigator.plugins.length),
      mime_types_count: read(() => navigator.mimeTypes.length),
      has_chrome_object: read(() => Boolean((window as unknown as Unknown).chrome)),
      vendor: read(() => navigator.vendor),
      product_sub: read(() => navigator.productSub),
      // Its source is only measured: nothing is evaluated, so that a strict policy has nothing to forbid.
      // biome-ignore lint/security/noGlobalEval: the function is not called
      eval_length: read(() => eval.toString().length),
      navigator_own_properties: read(() => Object.getOwnPropertyNames(navigator)),
      heap_limit_bytes: read(
        () => (performance as unknown as { memory: { jsHeapSizeLimit: number } }).memory.jsHeapSizeLimit,
      ),
    },
  };
}

/** The clock: a made-up time zone often forgets summer time, or the locale. */
export function clockFacts(): Facts {
  const year = new Date().getFullYear();
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  return {
    checks: {
      timezone: timeZone,
      locale,
      timezone_offset_minutes: new Date().getTimezoneOffset(),
      january_offset_minutes: new Date(year, 0, 1).getTimezoneOffset(),
      july_offset_minutes: new Date(year, 6, 1).getTimezoneOffset(),
    },
  };
}

/** Notification.permission, and the state in the Permissions API. Reading them does not prompt the person. */
export async function permissionFacts(): Promise<Facts> {
  const state = await navigator.permissions
    .query({ name: 'notifications' })
    .then((status): string | undefined => status.state)
    .catch(() => undefined);
  return {
    checks: {
      notification_permission: read(() => Notification.permission),
      notification_permission_state: state,
    },
  };
}

function matches(query: string): boolean | undefined {
  return read(() => matchMedia(query).matches);
}
