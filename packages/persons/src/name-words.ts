import { nameWords } from './person-name.ts';

/** Names have few words; a client could send thousands. */
const MAX_WORDS = 8;
/** Shorter words are names of their own more often than umlauts spelled out: Joe is not Jö. */
const MIN_LETTERS_WITH_UMLAUT = 5;

const SPELLED_OUT = /[aou]e|aa/;

/** Parts of names that many people share, and titles: two names do not agree because both have one. */
const SHARED_WORDS = new Set(
  (
    'al bin bint da das de degli dei del della den der di do dos du e el ibn la las le los of ten ter the und van von y zu ' +
    'dr esq frau herr ii iii iv jr junior madame miss monsieur mr mrs ms mx prof senior sir sr'
  ).split(' '),
);

/** The words of a name in ASCII lower case, with umlauts in one spelling; at most 8. */
export function foldedWords(name: string): string[] {
  return nameWords(name).slice(0, MAX_WORDS).map(foldedWord);
}

/** The distinctive words of a name; all of them without one. */
export function distinctWords(name: string): string[] {
  const words = foldedWords(name);
  const distinct = words.filter((word) => !SHARED_WORDS.has(word));
  return distinct.length > 0 ? distinct : words;
}

/** A word in ASCII lower case with its umlauts in one spelling: Mueller and Müller, Aagaard and Ågaard are one. */
export function foldedWord(word: string): string {
  if (word.length < MIN_LETTERS_WITH_UMLAUT || !SPELLED_OUT.test(word)) return word;
  return word.replace(/([aou])e/g, '$1').replace(/aa/g, 'a');
}
