import { levenshtein } from '@vouchgraph/platform/edit-distance';
import labels from '../../data/printed-labels.json' with { type: 'json' };

/** Fields with a printed label. */
export type PrintedField =
  | 'lastName'
  | 'firstName'
  | 'fullName'
  | 'birth'
  | 'issue'
  | 'expiry'
  | 'number'
  | 'number2'
  | 'address'
  /** Labels of unused values, which delimit the used ones. */
  | 'other';

/** Letters and digits of labels in English, Spanish, French, German and Dutch, accents and spaces dropped. */
const LABELS: Readonly<Record<PrintedField, readonly string[]>> = labels;

/** Longest first, so that the most specific label matches. */
const KEYS = Object.entries(LABELS)
  .flatMap(([field, written]) =>
    written.map((label) => ({ field: field as PrintedField, label: bare(label) })),
  )
  .sort((a, b) => b.label.length - a.label.length);

/** Shorter labels must be a complete part of the line, and match exactly. */
const SHORTEST_FUZZY = 9;
/** Maximum number of other letters in a line with a label. */
const MAX_OTHER_LETTERS = 8;

/** The field that a line labels (of several languages between slashes, any); null when it is a value or other text. */
export function labelOf(line: string): PrintedField | null {
  const parts = line
    .split(/[/|]/)
    .map(bare)
    .filter((part) => part !== '');
  const whole = bare(line);
  for (const { field, label } of KEYS) {
    if (parts.some((part) => isLabel(part, label)) || isLabel(whole, label)) return field;
  }
  return null;
}

function isLabel(text: string, label: string): boolean {
  if (text === label) return true;
  if (label.length < SHORTEST_FUZZY) return false;
  if (text.includes(label)) return text.length - label.length <= label.length + MAX_OTHER_LETTERS;
  return Math.abs(text.length - label.length) <= 2 && levenshtein(text, label) <= (label.length > 11 ? 2 : 1);
}

/** Letters and digits, with those that look alike in small print merged, in labels and lines alike. */
function bare(text: string): string {
  return text
    .replace(/[°º]/g, 'o')
    .replace(/^\s*\d{1,2}[a-d]?[.)]\s*/, '')
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('m', 'n')
    .replace(/[l1]/g, 'i')
    .replaceAll('0', 'o');
}
