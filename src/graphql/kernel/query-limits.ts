import { AppError } from '@vouchgraph/platform/errors';

/** Limits of a document: cost, levels of nested fields, and number of selected fields. */
export const MAX_COMPLEXITY = { complexity: 20_000, depth: 14, breadth: 800 } as const;

/** Assumed number of entries of a list without a complexity. */
export const LIST_MULTIPLIER = 5;

/** A document beyond a limit; nothing of it was executed. */
function overLimit(code: string, message: string, extensions: Record<string, number | string>): AppError {
  return new AppError(`graphql.${code}`, 'invalid_input', message, { extensions });
}

export function tooDeep(depth: number): AppError {
  const limit = MAX_COMPLEXITY.depth;
  return overLimit('too_deep', `The query has ${depth} levels, the limit is ${limit}`, { depth, limit });
}

export function tooBroad(breadth: number): AppError {
  const limit = MAX_COMPLEXITY.breadth;
  return overLimit('too_broad', `The query selects ${breadth} fields, the limit is ${limit}`, {
    breadth,
    limit,
  });
}

/** `costliestField` is a path by response names. */
export function tooExpensive(cost: number, costliestField: string): AppError {
  const limit = MAX_COMPLEXITY.complexity;
  return overLimit(
    'too_expensive',
    `The query is too expensive: it costs ${cost}, the limit is ${limit}. ${costliestField} costs most: ` +
      'request fewer objects (first, last, maxNodes, depth) or select fewer fields',
    { cost, limit, costliestField },
  );
}
