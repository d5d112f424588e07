/**
 * The largest providers whose name has five letters or more: shorter names (aol, live, gmx) have legitimate similar domains.
 */
const LARGE_PROVIDERS = [
  'gmail.com',
  'googlemail.com',
  'yahoo.com',
  'hotmail.com',
  'outlook.com',
  'icloud.com',
  'protonmail.com',
  'yandex.com',
  'yandex.ru',
] as const;

/** Suffixes that result from a missing letter of `.com`. */
const SHORTENED_COM = ['co', 'cm', 'om'] as const;

/** Domains one typing error away from a large provider, without well-known domains. */
export function lookalikesOf(wellKnown: ReadonlySet<string>): ReadonlySet<string> {
  const slips = LARGE_PROVIDERS.flatMap(typosOf);
  return new Set(slips.filter((domain) => !wellKnown.has(domain)));
}

/** Domains one typing error away from a provider. */
export function typosOf(provider: string): string[] {
  const dot = provider.indexOf('.');
  const [name, suffix] = [provider.slice(0, dot), provider.slice(dot + 1)];
  const misspelled = misspellings(name)
    .filter((slip) => slip !== name)
    .map((slip) => `${slip}.${suffix}`);
  return suffix === 'com' ? [...misspelled, ...SHORTENED_COM.map((short) => `${name}.${short}`)] : misspelled;
}

/**
 * Two letters swapped, one dropped, one doubled, or m for n. The first letter is kept: it is seldom wrong, and
 * `mail`, `ymail` and `cloud` are honest. So are other replaced letters (`grail`).
 */
function misspellings(name: string): string[] {
  return [...name].slice(1).flatMap((letter, index) => {
    const head = name.slice(0, index + 1);
    const tail = name.slice(index + 2);
    const swapped = tail === '' ? [] : [head + tail[0] + letter + tail.slice(1)];
    const confused = letter === 'm' ? [`${head}n${tail}`] : letter === 'n' ? [`${head}m${tail}`] : [];
    return [...swapped, head + tail, head + letter + letter + tail, ...confused];
  });
}
