/*
 * Two devices are near-equal when all of their components agree except those of one light part, which an update, a new font or
 * another screen changes. Each key omits one light part, so that devices that differ only in this part share the key. Heavy
 * parts, which distinguish devices best, must agree.
 */
type Part = { readonly name: string; readonly components: readonly string[]; readonly canDiffer: boolean };

/** All components that the collector script sends, grouped by what changes together. */
const PARTS: readonly Part[] = [
  { name: 'graphics', components: ['gpu', 'canvas'], canDiffer: false },
  {
    name: 'processor',
    components: ['architecture', 'cpuArchitecture', 'bitness', 'hardwareConcurrency', 'deviceMemory', 'math'],
    canDiffer: false,
  },
  {
    name: 'system',
    components: ['model', 'osCpu', 'platform', 'vendor', 'vendorFlavors', 'touchSupport'],
    canDiffer: false,
  },
  { name: 'installed', components: ['fonts', 'plugins'], canDiffer: true },
  { name: 'sound', components: ['audio'], canDiffer: true },
  { name: 'screen', components: ['screenResolution'], canDiffer: true },
  { name: 'language', components: ['languages'], canDiffer: true },
];

/** Fewer components are equal on too many devices. */
const MIN_COMPONENTS = 8;

/** Light parts, by their index in the keys. */
export const DIFFERING_PARTS: readonly string[] = PARTS.filter(({ canDiffer }) => canDiffer).map(
  ({ name }) => name,
);

/** A key for each light part; none for a device with few components. */
export function devicePartKeys(
  components: Readonly<Record<string, unknown>>,
): { part: string; key: string }[] {
  const parts = PARTS.map((part) => ({
    ...part,
    values: part.components.flatMap((name) =>
      components[name] === undefined ? [] : [[name, components[name]]],
    ),
  }));
  const hasGraphics = parts[0]!.values.length > 0;
  const count = parts.reduce((sum, { values }) => sum + values.length, 0);
  if (!hasGraphics || count < MIN_COMPONENTS) return [];
  return parts
    .filter(({ canDiffer, values }) => canDiffer && values.length > 0)
    .map(({ name }) => {
      const kept = parts.filter((part) => part.name !== name).flatMap(({ values }) => values);
      return { part: name, key: `${name} ${JSON.stringify(kept)}` };
    });
}
