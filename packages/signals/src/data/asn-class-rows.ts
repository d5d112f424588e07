/**
 * One operator of a curated list: a part of its name in the table of autonomous systems, then its numbers. A test
 * compares each number with the table, so that a wrong digit fails.
 */
export type AsnRow = readonly [name: string, ...numbers: number[]];

/** Business of a network's operator. */
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
