import type { Facts } from '../facts.ts';

type Group = { title: string; values: Record<string, unknown> };
type Values = Readonly<Record<string, unknown>>;

/** Groups of checks. The first matching pattern decides the group of a name. */
const GROUPS: ReadonlyArray<readonly [title: string, names: RegExp]> = [
  ['Automation', /^(webdriver|automation_globals|botd|has_chrome_object|plugins_count|mime_types_count)$/],
  [
    'Tampering',
    /^(non_native|navigator_own_properties|proxy_traces|eval_length|vendor|product_sub|worker|iframe)$/,
  ],
  ['Browser', /^(user_agent_data|features|notification_)/],
  ['Clock and language', /^(timezone|january_|july_|locale)/],
  ['Graphics and sound', /^(gpu_|canvas_|audio_)/],
  ['Storage', /^(cookies|local_storage|indexed_db|storage_quota_bytes|service_worker|heap_limit_bytes)$/],
  [
    'Screen and pointer',
    /^(outer_|inner_|screen_|color_depth|pointer_|hover|any_pointer|touch_events|orientation)/,
  ],
  ['Connection', /^(app_rtt_ms|webrtc_addresses)$/],
  ['Behavior', /^(form_|first_event|key_interval|pasted_|filled_|untrusted_)/],
];

/** Collected facts in readable groups. */
export function groupsOf(facts: Facts): Group[] {
  const checks = Object.entries((facts.checks ?? {}) as Values);
  const groupOf = (name: string) => GROUPS.find(([, names]) => names.test(name))?.[0] ?? 'Other';
  const titles = [...GROUPS.map(([title]) => title), 'Other'];
  const groups: Group[] = [
    { title: 'Browser information', values: { ...facts.browser } },
    { title: 'Device', values: { ...facts.device } },
    { title: 'Location', values: { ...facts.location } },
    { title: 'Events', values: { ...facts.bot } },
    ...titles.map((title) => ({
      title,
      values: Object.fromEntries(checks.filter(([name]) => groupOf(name) === title)),
    })),
  ];
  return groups.filter(({ values }) => Object.keys(values).length > 0);
}

/** Counts as they stand, by labels. */
export function countsOf(facts: Facts): Record<string, string> {
  const { bot = {}, checks = {} } = facts;
  const number = (value: unknown, unit = '') => (typeof value === 'number' ? `${value}${unit}` : '–');
  return {
    Mouse: number(bot.mouse_num_events),
    Clicks: number(bot.click_num_events),
    Keys: number(bot.keyboard_num_events),
    Touches: number(bot.touch_num_events),
    Clipboard: number(bot.clipboard_num_events),
    'Key interval': number(checks.key_interval_mean_ms, ' ms'),
    'Deviation of intervals': number(checks.key_interval_deviation_ms, ' ms'),
    'Fields filled': number(checks.filled_fields),
    'Fields only pasted': number(checks.pasted_fields),
    'Events by scripts': number(checks.untrusted_events),
  };
}
