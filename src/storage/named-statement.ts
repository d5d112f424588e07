import type { Call, Statement } from './statement.ts';

/** A statement whose values are passed by name. */
export type NamedStatement<N extends string> = Statement & {
  /** The values in the order of their positions. */
  values(values: ValuesOf<N>): unknown[];
  /** The statement with its values. */
  call(values: ValuesOf<N>): Call;
};
type ValuesOf<N extends string> = Readonly<Record<N, unknown>>;

/** The names behind the colons of a text, as far as its type is known: parts that are computed are `string`. */
type NamesIn<T extends string, Found extends string = never> = T extends `${string}:${infer Rest}`
  ? Rest extends `:${infer Cast}`
    ? NamesIn<Cast, Found>
    : NamesIn<Rest, Found | NameAt<Rest>>
  : Found;
type NameAt<T extends string> = T extends `${Letter}${string}` ? WordAt<T> : never;
type WordAt<T extends string, Word extends string = ''> = T extends `${infer First}${infer Rest}`
  ? First extends Letter | Digit
    ? WordAt<Rest, `${Word}${First}`>
    : Word
  : Word;
type Digit = `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;
// biome-ignore format: one line reads better than 26
type Small = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z';
type Letter = Small | Uppercase<Small> | '_';

/** What contains no parameter (strings, quoted names, comments, casts, `:=`, dollar quotes), or a name, or a position. */
const TOKENS =
  /\b[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n]*|\/\*(?:(?!\/\*)[\s\S])*?\*\/|::|:=|(?<![\w$])(?<tag>\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\k<tag>|(?<nested>\/\*)|:(?<name>[A-Za-z_]\w*)|\$(?<position>\d+)/g;
/** Always $1: shared parts of SQL contain it. */
const PROJECT = 'projectId';

/**
 * Prepares a statement with named parameters (`:accountId`). They are numbered here, once, in the order of the text. The project
 * is `:projectId`, or `$1` in parts that positional statements share. `computed`: names that only computed parts of the text
 * contain, whose type is `string`. The first call checks all names.
 */
export function namedStatement<const T extends string, const C extends string = never>(
  name: string,
  text: T,
  computed: readonly C[] = [],
): NamedStatement<NamesIn<T> | C> {
  const { names, numbered } = numberParameters(name, text);
  assertSame(name, names, [...names, ...computed]);
  let isChecked = false;
  const values = (given: ValuesOf<string>) => {
    if (!isChecked) assertSame(name, names, Object.keys(given));
    isChecked = true;
    return names.map((each) => given[each]);
  };
  const statement: NamedStatement<string> = {
    name,
    text: numbered,
    values,
    call: (given) => [statement, values(given)],
  };
  return statement;
}

function numberParameters(statement: string, text: string): { names: readonly string[]; numbered: string } {
  const parameters = [...text.matchAll(TOKENS)].flatMap(({ groups }) => parameterOf(statement, groups) ?? []);
  const names = [...new Set(parameters.includes(PROJECT) ? [PROJECT, ...parameters] : parameters)];
  const numbered = text.replace(TOKENS, (token, ...rest) => {
    const parameter = parameterOf(statement, rest.at(-1));
    return parameter === null ? token : `$${names.indexOf(parameter) + 1}`;
  });
  return { names, numbered };
}

function parameterOf(statement: string, groups: Token): string | null {
  const { nested, name, position } = groups!;
  if (nested) throw new Error(`Statement ${statement}: a comment is nested or open`);
  if (position && position !== '1') throw new Error(`Statement ${statement}: $${position} has no name`);
  return position ? PROJECT : (name ?? null);
}
type Token = RegExpExecArray['groups'];

function assertSame(statement: string, names: readonly string[], given: readonly string[]): void {
  const missing = names.find((each) => !given.includes(each));
  if (missing) throw new Error(`Statement ${statement}: no value for :${missing}`);
  const unknown = given.find((each) => !names.includes(each));
  if (unknown) throw new Error(`Statement ${statement}: the text does not contain :${unknown}`);
}
