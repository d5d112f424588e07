const FOUND = 0;
const MAX_TEXT_LENGTH = 512;
const MAX_ITEMS = 64;

type Component = { state: number; value?: unknown };

/** BotD's components by name, as its sources found them; what they did not find is left out. */
export function botdValues(
  components: Readonly<Record<string, unknown>>,
  graphics: { vendor?: string; renderer?: string } | undefined,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, component] of Object.entries(components)) {
    const { state, value } = component as Component;
    if (state === FOUND) values[name] = name === 'process' ? processOf(value) : trimmed(value);
  }
  if (graphics?.renderer !== undefined) {
    values.webGL = { vendor: graphics.vendor, renderer: graphics.renderer };
  }
  return values;
}

/** Of `window.process` only what BotD looks at: bundlers put objects of their own there, with settings of the site. */
function processOf(value: unknown): unknown {
  const { type, versions } = (value ?? {}) as { type?: unknown; versions?: { electron?: unknown } };
  return { type, versions: { electron: versions?.electron } };
}

/** Removes URLs: stacks contain the address of the page, which is private. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\b[a-z]+:\/\/[^\s)]+/gi, '').slice(0, MAX_TEXT_LENGTH);
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : value;
}
