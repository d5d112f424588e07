import type { Device } from './device.ts';
import type { Random } from './random.ts';

/** Counts of events and measurements of a page. */
export type Behavior = { bot: Record<string, number>; checks: Record<string, unknown> };

/**
 * A person who fills a form: seven of ten submit it, one in eight with a password manager that dispatches its
 * own events, one in twenty pastes, one in a hundred uses the keyboard alone; one in fourteen leaves quickly.
 */
export function humanBehavior(random: Random, isPhone: boolean): Behavior {
  if (random.chance(0.07)) {
    return behavior(
      { mouse: isPhone ? 0 : random.whole(0, 12), touch: isPhone ? random.whole(0, 3) : 0 },
      { form_completed: false },
    );
  }
  const managed = random.chance(0.12);
  const keyboardOnly = !isPhone && random.chance(0.01);
  const keys = managed ? random.whole(0, 12) : random.whole(18, 140);
  const filled = random.whole(2, 6);
  const counts: Record<string, number> = isPhone
    ? {
        touch: random.whole(8, 90),
        click: random.whole(3, 15),
        keyboard: random.whole(0, keys),
        mouse: random.whole(0, 20),
      }
    : {
        mouse: keyboardOnly ? 0 : random.whole(30, 700),
        click: keyboardOnly ? 0 : random.whole(2, 20),
        keyboard: keys,
      };
  const mean = random.between(95, 290);
  return behavior(
    { ...counts, clipboard: random.chance(0.1) ? random.whole(1, 3) : 0 },
    {
      form_completed: random.chance(0.7),
      first_event_ms: random.whole(150, 9000),
      key_interval_count: Math.max(0, keys - 4),
      key_interval_mean_ms: keys > 5 ? mean : undefined,
      key_interval_deviation_ms: keys > 5 ? mean * random.between(0.35, 0.9) : undefined,
      pasted_fields: random.chance(0.05) ? random.whole(1, 2) : 0,
      filled_fields: filled,
      untrusted_events: managed ? random.whole(4, 20) : 0,
    },
  );
}

/**
 * A program that submits a form: without any event, with values set by scripts, with evenly timed keys, or (one
 * in six) like a person, with recorded movements.
 */
export function scriptedBehavior(random: Random): Behavior {
  const style = random.weighted([
    ['nothing', 40],
    ['made', 15],
    ['clockwork', 28],
    ['recorded', 17],
  ] as const);
  if (style === 'recorded') return humanBehavior(random, false);
  if (style === 'nothing')
    return behavior({}, { form_completed: true, filled_fields: 4, pasted_fields: 0, untrusted_events: 0 });
  if (style === 'made') {
    return behavior(
      { click: random.whole(0, 2) },
      { form_completed: true, filled_fields: 4, untrusted_events: random.whole(24, 160) },
    );
  }
  const keys = random.whole(20, 80);
  const mean = random.between(2, 110);
  return behavior(
    { click: random.whole(1, 6), keyboard: keys, mouse: random.whole(0, 8) },
    {
      form_completed: true,
      first_event_ms: random.whole(20, 400),
      key_interval_count: keys - 1,
      key_interval_mean_ms: mean,
      key_interval_deviation_ms: mean * random.between(0, 0.08),
      filled_fields: 4,
      pasted_fields: 0,
      untrusted_events: 0,
    },
  );
}

function behavior(counts: Record<string, number>, checks: Record<string, unknown>): Behavior {
  const none = { mouse: 0, click: 0, keyboard: 0, touch: 0, clipboard: 0 };
  const named = Object.entries({ ...none, ...counts }).map(([name, count]) => [`${name}NumEvents`, count]);
  return { bot: Object.fromEntries(named) as Record<string, number>, checks };
}

/**
 * Changes of users to their own browsers, each independently: private windows, extensions against tracking,
 * phones with a mouse, background tabs, programs of companies, developer tools.
 */
export function withHonestOddities(device: Device, random: Random): Device {
  const { checks, model } = device;
  if (random.chance(0.08)) {
    checks.storage_quota_bytes = random.between(1e8, 1.2e9);
    if (model.engine === 'gecko') checks.service_worker = false;
  }
  if (random.chance(0.04)) {
    checks.canvas_second = `${checks.canvas_first}e`;
    // Such extensions replace functions of canvas and audio.
    if (random.chance(0.5))
      checks.non_native = ['HTMLCanvasElement.toDataURL', 'CanvasRenderingContext2D.getImageData'];
  }
  if (random.chance(0.02)) Object.assign(checks, { cookies: true, local_storage: false, indexed_db: false });
  if (model.isPhone && random.chance(0.02)) Object.assign(checks, { any_pointer_fine: true, hover: true });
  if (!model.isPhone && random.chance(0.015))
    Object.assign(checks, {
      outer_width: 0,
      outer_height: 0,
      botd: { ...(checks.botd as object), documentFocus: false },
    });
  if (random.chance(0.01)) checks.debugger_attached = true;
  if (random.chance(0.015)) delete checks.worker;
  if (random.chance(0.03)) delete checks.botd;
  if (model.engine === 'blink' && !model.isPhone && random.chance(0.01)) checks.plugins_count = 0;
  if (!model.isPhone && random.chance(0.005))
    setGraphics(
      device,
      'Google Inc. (Google)',
      'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
    );
  // An old laptop with the graphics of a remote desktop.
  if (device.model.platform === 'Win32' && random.chance(0.005))
    setGraphics(
      device,
      'Google Inc. (Microsoft)',
      'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0, D3D11)',
    );
  return device;
}

/** Replaces the graphics in all facts that contain them. */
export function setGraphics(device: Device, vendor: string, renderer: string): void {
  device.device.gpu = renderer;
  Object.assign(device.checks, { gpu_vendor: vendor, gpu_renderer: renderer });
  if (device.checks.botd) (device.checks.botd as Record<string, unknown>).webGL = { vendor, renderer };
}
