import type { TemplateType } from '../document-signals.ts';
import type { TextLine } from '../readings.ts';
import type { AamvaCard } from './aamva.ts';
import type { MrzResult } from './mrz.ts';
import { bareWords } from './names.ts';
import { stateNamed } from './states.ts';

/** Type and issuer of a document. */
export type Template = {
  type: TemplateType;
  /** ISO 3166-1 alpha-2, '' unknown. */
  country: string;
  /** Two letters of a state of the USA or a province of Canada, '' elsewhere. */
  state: string;
};

/** Words for types of documents, in capitals A to Z; more specific types first. */
const KEYWORDS: readonly (readonly [TemplateType, RegExp])[] = [
  [
    'residence_permit',
    /RESIDENCE ?PERMIT|PERMANENT ?RESIDENT|TITRE ?DE ?SEJOUR|AUFENTHALTSTITEL|PERMISO ?DE ?RESIDENCIA|VERBLIJFS/,
  ],
  [
    'driver_license',
    /DRIVER'?S? ?LICEN[CS]E|DRIVING ?LICEN[CS]E|PERMIS ?DE ?CONDUIRE|F(?:UE|U)HRERSCHEIN|PERMISO ?DE ?CONDUCCION|LICENCIA ?DE ?CONDUCIR|RIJBEWIJS/,
  ],
  [
    'medical_id',
    /HEALTH ?(?:INSURANCE|CARD)|MEDICARE|MEDICAID|KRANKENVERSICHERUNG|GESUNDHEITSKARTE|CARTE ?VITALE|TARJETA ?SANITARIA|MEDICAL ?(?:CARD|ID)/,
  ],
  [
    'school_id',
    /STUDENT ?(?:ID|CARD|IDENTITY)|STUDENTENAUSWEIS|SCHULERAUSWEIS|CARTE ?D'?ETUDIANT|SCHOOL ?ID|UNIVERSITY ?ID/,
  ],
  ['employee_id', /EMPLOYEE ?(?:ID|CARD|BADGE)|STAFF ?(?:ID|CARD)|MITARBEITERAUSWEIS|DIENSTAUSWEIS/],
  ['passport', /PASSPORT|PASSEPORT|PASAPORTE|REISEPASS|PASPOORT/],
  [
    'national_id',
    /IDENTITY ?CARD|NATIONAL ?ID|PERSONALAUSWEIS|CARTE ?NATIONALE|DOCUMENTO ?NACIONAL|IDENTITEITSKAART|CARTA ?D'?IDENTITA/,
  ],
];
const STATE_ID = /IDENTIFICATION ?CARD|\bID ?CARD|STATE ?ID/;

const COUNTRY_WORDS: readonly (readonly [country: string, words: RegExp])[] = [
  ['US', /UNITED ?STATES|\bUSA\b/],
  ['CA', /\bCANADA\b/],
  ['GB', /UNITED ?KINGDOM|GREAT ?BRITAIN|\bDVLA\b/],
  ['DE', /DEUTSCHLAND|GERMANY/],
  ['FR', /FRANCAISE|\bFRANCE\b/],
  ['ES', /ESPANA|\bSPAIN\b/],
  ['NL', /NEDERLAND|NETHERLANDS/],
  ['AT', /OSTERREICH/],
  ['IT', /REPUBBLICA ?ITALIANA|\bITALIA\b/],
  ['MX', /MEXICANOS|\bMEXICO\b/],
];

/** A type from a machine readable letter or subfile is reliable; a type from words is only a printed claim. */
export function findTemplate(
  mrz: MrzResult | null,
  card: AamvaCard | null,
  lines: readonly TextLine[],
): Template {
  const text = lines.map((line) => bareWords(line.text)).join('\n');
  if (card) return { type: card.kind, country: card.country, state: card.state };
  if (mrz) return { type: zoneType(mrz, text), country: mrz.country, state: '' };
  const named = KEYWORDS.find(([, words]) => words.test(text))?.[0];
  const state = stateNamed(text);
  // Towns and streets have names of states, so names only count on cards of states.
  if (state && (named === 'driver_license' || (!named && STATE_ID.test(text)))) {
    return { type: named ?? 'state_id', country: state.country, state: state.code };
  }
  const country = COUNTRY_WORDS.find(([, words]) => words.test(text))?.[0] ?? '';
  // Lines of text without a type are some document; almost no lines may be no document.
  return { type: named ?? (lines.length >= 3 ? 'other' : 'unknown'), country, state: '' };
}

/** Whether a line names a kind of document or a country: such words are printed on every copy, and are not a name. */
export function namesTemplate(line: string): boolean {
  const text = bareWords(line);
  return [...KEYWORDS, ...COUNTRY_WORDS].some(([, words]) => words.test(text)) || STATE_ID.test(text);
}

/** P a passport; I, A and C cards: with an R, or where the print says so, a residence permit; V a visa. */
function zoneType({ documentCode }: MrzResult, text: string): TemplateType {
  const [first, second] = documentCode;
  if (first === 'P') return 'passport';
  if (first !== 'I' && first !== 'A' && first !== 'C') return 'other';
  // Cards of ships' and aircraft's crews.
  if (documentCode === 'AC') return 'other';
  const saysPermit = KEYWORDS[0]![1].test(text);
  return second === 'R' || saysPermit ? 'residence_permit' : 'national_id';
}

/** Whether cards of the type have a PDF417 barcode. */
export function asksForBarcode({ type, country }: Template): boolean {
  return (type === 'driver_license' || type === 'state_id') && (country === 'US' || country === 'CA');
}

/** Whether documents of the type have a portrait at a known position. */
export function asksForPortrait({ type }: Template, mrz: MrzResult | null): boolean {
  // All documents with a zone (visas, cards of crews) have a portrait too.
  return mrz !== null || (type !== 'medical_id' && type !== 'other' && type !== 'unknown');
}

/** Width by height of documents of the kind: cards (ID-1), passports and larger cards (ID-3, ID-2), visas. */
export function expectedAspects({ type }: Template, mrz: MrzResult | null): readonly number[] {
  if (mrz?.format === 'TD1') return [1.586];
  if (mrz) return [1.42, 1.5];
  if (type === 'passport') return [1.42];
  return type === 'driver_license' || type === 'state_id' ? [1.586] : [1.586, 1.42];
}
