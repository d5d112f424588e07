/** Size limits of an expression, as text and as stored. */
export const EXPRESSION_LIMITS = {
  /** A condition has depth 1; each AND, OR and NOT around it adds one. */
  depth: 8,
  /** Conditions and operators together. */
  nodes: 1000,
  /** Characters of the whole text. */
  text: 65_536,
  /** Characters of one text in it. */
  string: 1024,
  /** Values of one list after IN. */
  values: 1000,
  /** Characters that one number is written with. */
  number: 32,
  /** Parentheses around parentheses, needed or not. */
  parentheses: 32,
} as const;
