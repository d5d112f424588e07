/*
 * Facts of a session that the script sends, under the names of the REST interface. The server parses `checks` with
 * parseChecks; a test compares the names of both sides.
 */

/** Every name that the script may send in `checks`. */
export const CHECK_NAMES = [
  'webdriver',
  'automation_globals',
  'botd',
  'outer_width',
  'outer_height',
  'inner_width',
  'inner_height',
  'screen_avail_width',
  'screen_avail_height',
  'color_depth',
  'plugins_count',
  'mime_types_count',
  'has_chrome_object',
  'notification_permission',
  'notification_permission_state',
  'vendor',
  'product_sub',
  'eval_length',
  'features',
  'user_agent_data',
  'worker',
  'iframe',
  'non_native',
  'navigator_own_properties',
  'proxy_traces',
  'timezone',
  'timezone_offset_minutes',
  'january_offset_minutes',
  'july_offset_minutes',
  'locale',
  'gpu_vendor',
  'gpu_renderer',
  'canvas_first',
  'canvas_second',
  'canvas_blank',
  'audio_first',
  'audio_second',
  'cookies',
  'local_storage',
  'indexed_db',
  'storage_quota_bytes',
  'service_worker',
  'heap_limit_bytes',
  'pointer_fine',
  'pointer_coarse',
  'hover',
  'any_pointer_fine',
  'touch_events',
  'orientation',
  'camera_labels',
  'webrtc_addresses',
  'app_rtt_ms',
  'form_completed',
  'first_event_ms',
  'key_interval_count',
  'key_interval_mean_ms',
  'key_interval_deviation_ms',
  'pasted_fields',
  'filled_fields',
  'untrusted_events',
  'account_claim',
] as const;

type CheckName = (typeof CHECK_NAMES)[number];

/** Values of `checks`, without those that a browser does not reveal. */
export type CheckFacts = { readonly [Name in CheckName]?: unknown };

/** Facts of a session in the body of a request. */
export type Facts = {
  readonly browser?: Readonly<Record<string, unknown>>;
  readonly device?: Readonly<Record<string, unknown>>;
  readonly location?: Readonly<Record<string, unknown>>;
  readonly bot?: Readonly<Record<string, number>>;
  readonly checks?: CheckFacts;
};

/** Merges later facts into earlier ones, value by value within each part; undefined keeps the earlier value. */
export function mergeFacts(earlier: Facts, later: Facts): Facts {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const facts of [earlier, later]) {
    for (const [part, values] of Object.entries(facts)) {
      for (const [name, value] of Object.entries(values ?? {})) {
        if (value === undefined) continue;
        merged[part] ??= {};
        merged[part][name] = value;
      }
    }
  }
  return merged;
}
