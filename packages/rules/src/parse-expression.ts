import { type Catalogue, type Field, fieldNamed } from './catalogue.ts';
import {
  acceptsMany,
  acceptsNetworks,
  type Comparison,
  choiceOf,
  describeType,
  operatorProblem,
  operatorsOf,
  unknownField,
  valueProblem,
  valuesProblem,
} from './conditions.ts';
import type { Condition, Expression, Operator } from './expression.ts';
import { ExpressionError } from './expression-error.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';
import { MAX_METADATA_LEVELS, metadataPath } from './metadata-path.ts';
import { printExpression } from './print-expression.ts';
import { readToken, type Token } from './tokens.ts';

/**
 * Reads the text of an expression; throws ExpressionError at the first mistake. From weakest to strongest: OR, AND, NOT,
 * condition. `a AND b AND c` is one node of three, and parentheses keep what they hold apart.
 */
export function parseExpression(catalogue: Catalogue, text: string): Expression {
  const { text: most } = EXPRESSION_LIMITS;
  if (text.length > most)
    throw new ExpressionError(`Expression must be at most ${most} characters`, text, most);
  const expression = new Parser(catalogue, text).parse();
  // A stored expression is printed in full, and the printed text must be parsed again.
  if (printExpression(expression).length > most)
    throw new ExpressionError(`Expression must be at most ${most} characters in its printed form`, text, 0);
  return expression;
}

const KEYWORDS = [
  'AND',
  'OR',
  'NOT',
  'IN',
  'NETWORK',
  'CONTAINS',
  'MATCHES',
  'LIST',
  'IS',
  'MISSING',
  'PRESENT',
  'TRUE',
  'FALSE',
] as const;
type Keyword = (typeof KEYWORDS)[number];

const COMPARISONS: Readonly<Record<string, Operator>> = {
  '=': 'eq',
  '!=': 'ne',
  '≠': 'ne',
  '>': 'gt',
  '>=': 'ge',
  '≥': 'ge',
  '<': 'lt',
  '<=': 'le',
  '≤': 'le',
};

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')' };

/** An expression with its depth and the place of its deepest condition. */
type Node = { readonly expression: Expression; readonly depth: number; readonly deepest: number };

/** The value of a condition with the places of its parts. */
type Value = { readonly value: NonNullable<Condition['value']>; readonly positions: readonly number[] };

/** Recursive descent with one token of look-ahead; it nests no deeper than parentheses may. */
class Parser {
  readonly #catalogue: Catalogue;
  readonly #text: string;
  #token: Token & { readonly end: number };
  #nodes = 0;
  #parentheses = 0;

  constructor(catalogue: Catalogue, text: string) {
    this.#catalogue = catalogue;
    this.#text = text;
    this.#token = readToken(text, 0);
  }

  parse(): Expression {
    if (this.#isEnd()) throw this.#error('Expression must contain at least one condition');
    const { expression } = this.#or();
    if (!this.#isEnd()) throw this.#unexpected('AND, OR or the end of the expression');
    return expression;
  }

  #or(): Node {
    return this.#junction('OR', () => this.#and());
  }

  #and(): Node {
    return this.#junction('AND', () => this.#not());
  }

  #junction(keyword: 'AND' | 'OR', member: () => Node): Node {
    const members = [member()];
    while (this.#is(keyword)) {
      if (members.length === 1) this.#count();
      this.#next();
      members.push(member());
    }
    if (members.length === 1) return members[0]!;
    const expressions = members.map(({ expression }) => expression);
    const deepest = members.reduce((a, b) => (b.depth > a.depth ? b : a));
    return this.#above(deepest, keyword === 'AND' ? { and: expressions } : { or: expressions });
  }

  #not(): Node {
    const starts: Token[] = [];
    while (this.#is('NOT')) {
      // Each is a level, so that a sequence of them is bounded by the maximum depth of an expression.
      if (starts.length + 1 >= EXPRESSION_LIMITS.depth) throw this.#tooDeep(this.#token.position);
      this.#count();
      starts.push(this.#next());
    }
    let node = this.#primary();
    for (const _ of starts) node = this.#above(node, { not: node.expression });
    return node;
  }

  #above({ depth, deepest }: Node, expression: Expression): Node {
    if (depth + 1 > EXPRESSION_LIMITS.depth) throw this.#tooDeep(deepest);
    return { expression, depth: depth + 1, deepest };
  }

  #primary(): Node {
    if (this.#isSymbol('(')) return this.#group();
    if (this.#token.kind !== 'word' || this.#keyword() !== null)
      throw this.#unexpected('a field name, NOT or (');
    const { position } = this.#token;
    return { expression: this.#condition(), depth: 1, deepest: position };
  }

  #group(): Node {
    const opening = this.#token.position;
    this.#parentheses += 1;
    if (this.#parentheses > EXPRESSION_LIMITS.parentheses)
      throw this.#error(`Parentheses can be nested at most ${EXPRESSION_LIMITS.parentheses} deep`);
    this.#next();
    const node = this.#or();
    if (!this.#isSymbol(')')) {
      if (this.#isEnd()) throw this.#error('Missing closing )', opening);
      throw this.#unexpected('AND, OR or )');
    }
    this.#next();
    this.#parentheses -= 1;
    return node;
  }

  #condition(): Condition {
    this.#count();
    const { text: name, position } = this.#token;
    const field = fieldNamed(this.#catalogue, name);
    if (!field) throw this.#error(unknownField(this.#catalogue, name), position);
    if ((metadataPath(this.#catalogue.metadata.root, name)?.length ?? 0) > MAX_METADATA_LEVELS)
      throw this.#error(
        `Path of a metadata field must be at most ${MAX_METADATA_LEVELS} keys long`,
        position,
      );
    this.#next();
    const operatorAt = this.#token.position;
    const op = this.#operator();
    if (op === null) return this.#bareCondition(name, field);
    const problem = operatorProblem(name, field, op);
    if (problem) throw this.#error(problem, operatorAt);
    if (op === 'is_missing' || op === 'is_present') return { field: name, op };
    const { value, positions } = this.#valuesOf(op);
    this.#checkValues({ name, field, operator: op }, value, positions);
    if (op === 'matches_list')
      return { field: name, op, value: this.#catalogue.readListName(String(value))! };
    return { field: name, op, value };
  }

  #checkValues(comparison: Comparison, value: Value['value'], positions: readonly number[]): void {
    const values = typeof value === 'object' ? value : [value];
    for (const [index, each] of values.entries()) {
      const problem = valueProblem(this.#catalogue, comparison, each);
      if (problem) throw this.#error(problem, positions[index]);
    }
    const problem = valuesProblem(values);
    if (problem) throw this.#error(problem, positions[0]);
  }

  #valuesOf(op: Operator): Value {
    if (!acceptsMany(op)) return this.#value();
    const isList = this.#token.kind === 'symbol' && CLOSING[this.#token.text] !== undefined;
    if (isList || !acceptsNetworks(op)) return this.#values();
    const { value, positions } = this.#value();
    return { value: [value as string], positions };
  }

  /** A boolean field can be a condition without an operator. */
  #bareCondition(name: string, field: Field): Condition {
    const mayEnd = this.#isEnd() || this.#is('AND') || this.#is('OR') || this.#isSymbol(')');
    const choice = choiceOf(operatorsOf(field));
    if (!mayEnd) throw this.#unexpected(`an operator (${choice}) after ${name}`);
    if (field.type !== 'boolean')
      throw this.#error(
        `Field ${JSON.stringify(name)} is ${describeType(field)} and needs an operator: ${choice}`,
      );
    return { field: name, op: 'eq', value: true };
  }

  /** Reads an operator; null without one. */
  #operator(): Operator | null {
    const { kind, text } = this.#token;
    if (kind === 'symbol') {
      const comparison = Object.hasOwn(COMPARISONS, text) ? COMPARISONS[text]! : null;
      if (comparison) this.#next();
      return comparison;
    }
    switch (this.#keyword()) {
      case 'IN':
        this.#next();
        return this.#skips('NETWORK') ? 'in_network' : 'in';
      case 'NOT':
        this.#next();
        this.#expect('IN', 'NOT');
        return this.#skips('NETWORK') ? 'not_in_network' : 'not_in';
      case 'CONTAINS':
        this.#next();
        return 'contains';
      case 'MATCHES':
        this.#next();
        this.#expect('LIST', 'MATCHES');
        return 'matches_list';
      case 'IS':
        return this.#presence();
      default:
        return null;
    }
  }

  #presence(): Operator {
    this.#next();
    const op = this.#is('MISSING') ? 'is_missing' : this.#is('PRESENT') ? 'is_present' : null;
    if (op === null) throw this.#unexpected('MISSING or PRESENT after IS');
    this.#next();
    return op;
  }

  /** Reads the keyword where it comes next; whether it did. */
  #skips(keyword: Keyword): boolean {
    const isNext = this.#is(keyword);
    if (isNext) this.#next();
    return isNext;
  }

  #expect(keyword: Keyword, after: Keyword): void {
    if (!this.#is(keyword)) throw this.#unexpected(`${keyword} after ${after}`);
    this.#next();
  }

  #values(): Value {
    const closing = this.#token.kind === 'symbol' ? CLOSING[this.#token.text] : undefined;
    if (closing === undefined) throw this.#unexpected('[ before the values');
    const values: (number | string)[] = [];
    const positions: number[] = [];
    do {
      this.#next();
      if (values.length === EXPRESSION_LIMITS.values)
        throw this.#error(`List must have at most ${EXPRESSION_LIMITS.values} values`);
      const { value, positions: at } = this.#value();
      // A boolean has no IN: the check of the operator has refused it already.
      values.push(value as number | string);
      positions.push(at[0]!);
    } while (this.#isSymbol(','));
    if (!this.#isSymbol(closing)) throw this.#unexpected(`, or ${closing}`);
    this.#next();
    return { value: values, positions };
  }

  #value(): Value {
    const { kind, text, position } = this.#token;
    const positions = [position];
    if (kind === 'text') {
      this.#next();
      return { value: text, positions };
    }
    if (kind === 'number') {
      this.#next();
      // 0 and -0 are one number, written in one way.
      return { value: Number(text) || 0, positions };
    }
    const truth = this.#is('TRUE') ? true : this.#is('FALSE') ? false : null;
    if (truth === null) throw this.#noValue();
    this.#next();
    return { value: truth, positions };
  }

  #noValue(): ExpressionError {
    const { kind, text } = this.#token;
    if (kind !== 'word' || this.#keyword() !== null) return this.#unexpected('a value');
    if (fieldNamed(this.#catalogue, text))
      return this.#error(`${text} is a field: compare a field with a value, not with another field`);
    return this.#error(`Expected a value: put strings in quotes, such as "${text.slice(0, 64)}"`);
  }

  #keyword(): Keyword | null {
    if (this.#token.kind !== 'word') return null;
    const upper = this.#token.text.toUpperCase();
    return KEYWORDS.find((keyword) => keyword === upper) ?? null;
  }

  #is(keyword: Keyword): boolean {
    return this.#keyword() === keyword;
  }

  #isEnd(): boolean {
    return this.#token.kind === 'end';
  }

  #isSymbol(symbol: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === symbol;
  }

  #next(): Token {
    const token = this.#token;
    this.#token = readToken(this.#text, token.end);
    return token;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > EXPRESSION_LIMITS.nodes)
      throw this.#error(`Expression must have at most ${EXPRESSION_LIMITS.nodes} conditions and operators`);
  }

  #tooDeep(position: number): ExpressionError {
    return this.#error(`Expression must be at most ${EXPRESSION_LIMITS.depth} levels deep`, position);
  }

  #unexpected(expected: string): ExpressionError {
    const { kind, text } = this.#token;
    const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text;
    return this.#error(`Expected ${expected}, found ${kind === 'end' ? 'the end' : JSON.stringify(shown)}`);
  }

  #error(message: string, position: number = this.#token.position): ExpressionError {
    return new ExpressionError(message, this.#text, position);
  }
}
