import anyAscii from 'any-ascii';

/** Names have few words; a client could send thousands. */
const MAX_WORDS = 5;
const SHORTEST_WORD_INSIDE = 3;

/**
 * Whether the local part contains a person's names: both of them anywhere, or exactly one of them with the
 * initial of the other (`jdoe`, `janed`). Case, accents, digits and punctuation do not matter.
 */
export function containsName(local: string, firstName: string, lastName: string): boolean {
  const letters = asciiLetters(local);
  const families = nameWords(lastName);
  return nameWords(firstName).some((given) =>
    families.some((family) => containsPair(letters, given, family)),
  );
}

function containsPair(letters: string, given: string, family: string): boolean {
  return isWrittenOut(letters, given, family) || containsBoth(letters, given, family);
}

function isWrittenOut(letters: string, given: string, family: string): boolean {
  const together = [given + family, family + given];
  const withInitial = [given[0] + family, family + given[0], given + family[0], family[0] + given];
  // `li` with an initial is three letters: too short to be evidence.
  return (
    together.includes(letters) || (letters.length > SHORTEST_WORD_INSIDE && withInitial.includes(letters))
  );
}

/** Short words occur inside long ones by chance: `marlina` is not Li Na. */
function containsBoth(letters: string, given: string, family: string): boolean {
  if (Math.min(given.length, family.length) < SHORTEST_WORD_INSIDE) return false;
  return letters.includes(family) && letters.replace(family, ' ').includes(given);
}

function nameWords(name: string): string[] {
  const words = anyAscii(name.normalize('NFKC'))
    .replace(/['`]/g, '')
    .split(/[^\p{L}]+/u);
  return words
    .map(asciiLetters)
    .filter((word) => word.length > 1)
    .slice(0, MAX_WORDS);
}

function asciiLetters(text: string): string {
  return anyAscii(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}
