/*
 * Two devices are nearly the same when all of their components agree but those of one light part, which an update, a
 * new font or another screen changes. Each key leaves one such part out: devices that differ in it alone share it.
 * The heavy parts, which tell devices apart best, have to agree.
 */
type Part = { readonly name: string; readonly components: readonly string[]; readonly canDiffer: boolean };

/** Every component that the script for pages tells, by what changes together. */
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

/** Fewer components than this are the same on too many devices. */
const FEWEST_COMPONENTS = 8;

/** The parts in which two devices may differ, by their place in the keys. */
export const DIFFERING_PARTS: readonly string[] = PARTS.filter(({ canDiffer }) => canDiffer).map(
  ({ name }) => name,
);

/** For each part in which another device may differ, a text that both share; none for a device of which little is known. */
export function devicePartKeys(
  components: Readonly<Record<string, unknown>>,
): { part: string; key: string }[] {
  const told = PARTS.map((part) => ({
    ...part,
    values: part.components.flatMap((name) =>
      components[name] === undefined ? [] : [[name, components[name]]],
    ),
  }));
  const hasGraphics = told[0]!.values.length > 0;
  const count = told.reduce((sum, { values }) => sum + values.length, 0);
  if (!hasGraphics || count < FEWEST_COMPONENTS) return [];
  return told
    .filter(({ canDiffer, values }) => canDiffer && values.length > 0)
    .map(({ name }) => {
      const kept = told.filter((part) => part.name !== name).flatMap(({ values }) => values);
      return { part: name, key: `${name} ${JSON.stringify(kept)}` };
    });
}
