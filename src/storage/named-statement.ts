import type { Call, Statement } from './statement.ts';

/** A statement whose values are passed by name. */
export type NamedStatement<N extends string> = Statement & {
  /** The values in the order of their positions. */
  values(values: Readonly<Record<N, unknown>>): unknown[];
  /** The statement with its values. */
  call(values: Readonly<Record<N, unknown>>): Call;
};

/**
 * Everything in which a colon starts no name: strings, quoted names, comments, casts, `:=`, dollar quotes. Then a name, then a
 * position.
 */
const TOKENS =
  /(?<skipped>\b[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n]*|::|:=|(?<![\w$])(?<tag>\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\k<tag>)|(?<comment>\/\*)|:(?<name>[A-Za-z_]\w*)|\$(?<position>\d+)/g;
const COMMENT_EDGE = /\/\*|\*\//g;
/** Position of the project, which shared parts of SQL use. */
const PROJECT = 'projectId';

/**
 * Prepares a statement with named parameters (`:accountId`). They are numbered here, once: the text that is sent has `$1` for
 * the first of `parameters`, and so on. `$1` itself is accepted for a first parameter `projectId`, because shared parts of SQL
 * use it. Throws for a name that is not in `parameters`, and for a parameter that the text does not use.
 */
export function namedStatement<const N extends string>(
  name: string,
  parameters: readonly N[],
  text: string,
): NamedStatement<N> {
  const numbered = numberParameters(name, parameters, text);
  const values = (given: Readonly<Record<N, unknown>>) => parameters.map((each) => given[each]);
  const statement: NamedStatement<N> = {
    name,
    text: numbered,
    values,
    call: (given) => [statement, values(given)],
  };
  return statement;
}

function numberParameters(statement: string, parameters: readonly string[], text: string): string {
  const wrong = (problem: string) => new Error(`Statement ${statement}: ${problem}`);
  if (new Set(parameters).size < parameters.length) throw wrong('a parameter is named twice');
  const used = new Set<string>();
  let numbered = '';
  let at = 0;
  const tokens = new RegExp(TOKENS);
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const { comment, name, position } = token.groups!;
    numbered += text.slice(at, token.index);
    if (comment !== undefined) tokens.lastIndex = endOfComment(text, token.index);
    const source = text.slice(token.index, tokens.lastIndex);
    at = tokens.lastIndex;
    const parameter = position === '1' && parameters[0] === PROJECT ? PROJECT : name;
    if (position !== undefined && parameter === undefined) throw wrong(`$${position} has no name`);
    if (parameter !== undefined && !parameters.includes(parameter))
      throw wrong(`:${parameter} is not one of ${parameters.join(', ')}`);
    if (parameter !== undefined) used.add(parameter);
    numbered += parameter === undefined ? source : `$${parameters.indexOf(parameter) + 1}`;
  }
  const unused = parameters.filter((each) => !used.has(each));
  if (unused.length > 0) throw wrong(`the text does not use ${unused.join(', ')}`);
  return numbered + text.slice(at);
}

/** Comments nest. */
function endOfComment(text: string, start: number): number {
  const edges = new RegExp(COMMENT_EDGE);
  edges.lastIndex = start;
  let depth = 0;
  for (let edge = edges.exec(text); edge !== null; edge = edges.exec(text)) {
    depth += edge[0] === '/*' ? 1 : -1;
    if (depth === 0) return edges.lastIndex;
  }
  return text.length;
}
