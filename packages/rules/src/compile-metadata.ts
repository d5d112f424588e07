import { numberOf } from '@vouchgraph/platform/exact-json';
import type { Condition, Facts, FieldValue } from './expression.ts';
import { kindOfMetadata, type MetadataKind, metadataPath, readMetadata } from './metadata-path.ts';
import { numberTest, textsTest, textTest } from './value-tests.ts';

/** Outcome of a condition on metadata: unknown for a missing value and for one of another type, with the reason. */
export type MetadataOutcome = {
  readonly outcome: boolean | null;
  /** Why it is unknown; null otherwise. */
  readonly reason: string | null;
  /** The value, null for an object and for a list of other things than texts. */
  readonly value: FieldValue;
};

/** Reason of a condition on a value of large metadata that the decision does not contain. */
const NOT_STORED = 'no value: not stored with this decision';

/** Compiles a condition on metadata. The type of its operand is the type that it compares with. */
export function compileMetadata(
  root: string,
  { field, op, value }: Condition,
): (facts: Facts) => MetadataOutcome {
  const path = metadataPath(root, field) ?? [];
  const test = testOf(op, value);
  return (facts) => {
    const { value: held } = readMetadata(root, facts, field, path);
    if (held === undefined) return { outcome: null, reason: NOT_STORED, value: null };
    const kind = kindOfMetadata(held);
    const shown = SHOWN.has(kind) ? (held as FieldValue) : null;
    if (op === 'is_missing' || op === 'is_present')
      return { outcome: (kind === 'no value') === (op === 'is_missing'), reason: null, value: shown };
    if (kind === 'no value') return { outcome: null, reason: kind, value: null };
    const outcome = test(held, kind);
    const reason = outcome === null ? `expected ${expectedBy(op, value)}, found ${kind}` : null;
    return { outcome, reason, value: shown };
  };
}

const SHOWN: ReadonlySet<MetadataKind> = new Set([
  'a string',
  'a number',
  'true or false',
  'a list of strings',
] as const);

/** The type that a condition compares with: that of its operand. */
function expectedBy(op: Condition['op'], value: Condition['value']): MetadataKind {
  const one = Array.isArray(value) ? value[0] : value;
  if (op === 'contains' || typeof one === 'string') return 'a string';
  return typeof one === 'boolean' ? 'true or false' : 'a number';
}

/** Null for a value of another type. */
type Test = (held: unknown, kind: MetadataKind) => boolean | null;

function testOf(op: Condition['op'], value: Condition['value']): Test {
  if (op === 'is_missing' || op === 'is_present') return () => null;
  const expected = expectedBy(op, value);
  if (expected === 'true or false') {
    const matching = op === 'eq' ? value : !value;
    return (held, kind) => (kind === expected ? held === matching : null);
  }
  if (expected === 'a number') {
    const test = numberTest(op, value);
    return (held, kind) => (kind === expected ? test(numberOf(held)) : null);
  }
  const test = textTest(op, value);
  const contains = op === 'contains' ? textsTest(value) : null;
  return (held, kind) => {
    if (kind === 'a list of strings' && contains) return contains(held as readonly string[]);
    return kind === expected ? test(held as string) : null;
  };
}
