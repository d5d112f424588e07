import type { MrzLines } from '../readings.ts';
import { cleanLine, correctByPlace, fitLength } from './mrz-correction.ts';
import {
  cut,
  layoutOf,
  type MrzLayout,
  type PlaceKind,
  placeKinds,
  SHAPES,
  type Span,
} from './mrz-layout.ts';

/** Read of one line by one engine: cleaned, of the expected length, with letters and digits corrected by position. */
type LineRead = { engine: MrzLines['engine']; text: string };

/** All reads of a zone: the matching ones for each line. */
export type ZoneReads = { layout: MrzLayout; lines: readonly (readonly LineRead[])[] };

/** Texts read at a span, with their count and engines, most frequent first. */
export type SpanRead = { text: string; votes: number; engines: ReadonlySet<MrzLines['engine']> };

type Shape = (typeof SHAPES)[number];
type Fit = { engine: MrzLines['engine']; texts: readonly (string | null)[]; score: number };

/** A zone starts with five letters or fillers. */
const HEAD_KINDS = new Array<PlaceKind>(5).fill('letter');
/** Shorter lines belong to no zone. */
const SHORTEST_LINE = 20;

/** Reads with the shape of a zone; null without one. The layout follows from the first letters, read or given. */
export function collectReads(candidates: readonly MrzLines[], head?: string): ZoneReads | null {
  const shape = bestShape(candidates);
  if (shape === null) return null;
  const fits = candidates.map((candidate) => fitShape(candidate, shape)).filter((fit) => fit !== null);
  const heads = fits.flatMap(({ texts }) =>
    texts[0] ? [correctByPlace(texts[0].slice(0, 5), HEAD_KINDS)] : [],
  );
  const layout = layoutOf(shape.lineCount, shape.length, head ?? mostFrequent(heads) ?? '');
  const kinds = placeKinds(layout);
  const lines = kinds.map((places, index) =>
    fits.flatMap(({ engine, texts }) => {
      const text = texts[index];
      return text ? [{ engine, text: correctByPlace(text, places) }] : [];
    }),
  );
  return {
    layout,
    lines: lines.map((reads, index) =>
      index === layout.fields.names.line ? endNames(reads, layout) : reads,
    ),
  };
}

function bestShape(candidates: readonly MrzLines[]): Shape | null {
  let best: Shape | null = null;
  let most = 0;
  for (const shape of SHAPES) {
    const score = sum(candidates.map((candidate) => fitShape(candidate, shape)?.score ?? 0));
    if (score > most) [best, most] = [shape, score];
  }
  return best;
}

/** The adjacent lines of a candidate that match best. Other text may have been read above or below them. */
function fitShape({ engine, lines }: MrzLines, { lineCount, length }: Shape): Fit | null {
  const cleaned = lines.map(cleanLine).filter((line) => line.length >= SHORTEST_LINE);
  let best: Fit | null = null;
  for (let start = 0; start + lineCount <= cleaned.length; start += 1) {
    const window = cleaned.slice(start, start + lineCount);
    // A zone starts with a letter. One that starts with a filler was read from its second position on.
    if (window[0]!.startsWith('<')) continue;
    const texts = window.map((line) => fitLength(line, length));
    const score = sum(texts.map((text, index) => fitScore(text, window[index]!.length)));
    // Later windows win a tie: zones are at the lower edge.
    if (score > 0 && score >= (best?.score ?? 0)) best = { engine, texts, score };
  }
  return best;
}

/** Weight of a line: higher with fewer added or removed fillers. */
function fitScore(text: string | null, readLength: number): number {
  return text === null ? 0 : 1 - Math.abs(text.length - readLength) / 50;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Only fillers follow surname and given names. Any other character there is a misread filler. */
function endNames(reads: readonly LineRead[], { fields }: MrzLayout): LineRead[] {
  return reads.map(({ engine, text }) => {
    const { names } = fields;
    const field = text.slice(names.start, names.end);
    const separator = field.search(/[A-Z]<<[A-Z]/);
    const end = separator < 0 ? -1 : field.indexOf('<<', separator + 3);
    if (end < 0) return { engine, text };
    return {
      engine,
      text:
        text.slice(0, names.start) + field.slice(0, end).padEnd(field.length, '<') + text.slice(names.end),
    };
  });
}

/** Texts of all reads at a span. */
export function readsAt({ lines }: ZoneReads, span: Span): SpanRead[] {
  const found = new Map<string, { votes: number; engines: Set<MrzLines['engine']> }>();
  for (const { engine, text } of lines[span.line]!) {
    const value = text.slice(span.start, span.end);
    const entry = found.get(value) ?? { votes: 0, engines: new Set() };
    entry.votes += 1;
    entry.engines.add(engine);
    found.set(value, entry);
  }
  return [...found].map(([text, entry]) => ({ text, ...entry })).sort((a, b) => b.votes - a.votes);
}

/** Each line by the majority of the reads, character by character; fillers where nothing was read. */
export function commonLines({ layout, lines }: ZoneReads): string[] {
  return lines.map((reads) =>
    Array.from(
      { length: layout.length },
      (_, place) => mostFrequent(reads.map(({ text }) => text[place]!)) ?? '<',
    ).join(''),
  );
}

/** Whether one read has the whole line in this form. */
export function wasReadWhole({ lines }: ZoneReads, line: number, text: string): boolean {
  return lines[line]!.some((read) => read.text === text);
}

/** Whether two engines read every line alike: an error in the lines is then an error on the document. */
export function isReadAlike({ lines }: ZoneReads): boolean {
  return lines.every((reads) =>
    reads.some(({ engine, text }) => reads.some((other) => other.engine !== engine && other.text === text)),
  );
}

export function replaceSpan(lines: readonly string[], span: Span, text: string): string[] {
  return lines.map((line, index) =>
    index === span.line
      ? line.slice(0, span.start) + text + line.slice(span.start + cut(lines, span).length)
      : line,
  );
}

/** The most frequent value, the first of several; null without values. */
function mostFrequent(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: string | null = null;
  for (const [value, count] of counts) if (best === null || count > counts.get(best)!) best = value;
  return best;
}
