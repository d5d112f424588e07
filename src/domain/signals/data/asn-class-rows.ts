/**
 * One operator of a curated list: a part of its name in the table of autonomous systems, then its numbers. A test
 * holds each number against the table, so that a slip of a digit cannot pass.
 */
export type AsnRow = readonly [name: string, ...numbers: number[]];

/** What the operator of a network does. */
export type AsnClass =
  | 'satellite'
  | 'mobile'
  | 'vpn'
  | 'tor'
  | 'hosting'
  | 'cdn'
  | 'education'
  | 'government'
  | 'business';
