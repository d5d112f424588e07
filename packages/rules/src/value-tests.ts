import { equalsFolded, foldCase } from '@vouchgraph/platform/fold-case';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { isInNetwork, type Network, parseNetwork } from '@vouchgraph/platform/ip/network';
import type { Condition } from './expression.ts';

/** Tests of operators on a known value, compiled once for many values. */

export function numberTest(op: Condition['op'], value: Condition['value']): (held: number) => boolean {
  const values = new Set(Array.isArray(value) ? value : []);
  const against = Number(value);
  switch (op) {
    case 'eq':
      return (held) => held === against;
    case 'ne':
      return (held) => held !== against;
    case 'gt':
      return (held) => held > against;
    case 'ge':
      return (held) => held >= against;
    case 'lt':
      return (held) => held < against;
    case 'le':
      return (held) => held <= against;
    case 'in':
      return (held) => values.has(held);
    case 'not_in':
      return (held) => !values.has(held);
    default:
      throw new Error(`a number was asked for ${op}`);
  }
}

export function textTest(op: Condition['op'], value: Condition['value']): (held: string) => boolean {
  const folded = foldCase(String(value));
  switch (op) {
    case 'eq':
      return (held) => equalsFolded(held, folded);
    case 'ne':
      return (held) => !equalsFolded(held, folded);
    case 'contains':
      return (held) => foldCase(held).includes(folded);
    case 'in':
      return oneOf(value);
    case 'not_in': {
      const isOneOf = oneOf(value);
      return (held) => !isOneOf(held);
    }
    default:
      throw new Error(`a text was asked for ${op}`);
  }
}

/** Up to here comparing one by one is faster than folding the text for a look-up. */
const FEW = 8;

function oneOf(value: Condition['value']): (held: string) => boolean {
  const folded = (Array.isArray(value) ? value : []).map((each) => foldCase(String(each)));
  if (folded.length <= FEW) return (held) => folded.some((each) => equalsFolded(held, each));
  const values = new Set(folded);
  return (held) => values.has(foldCase(held));
}

/** CONTAINS: whether one of the texts is the value, in full. */
export function textsTest(value: Condition['value']): (held: readonly string[]) => boolean {
  const folded = foldCase(String(value));
  return (held) => {
    for (const each of held) if (equalsFolded(each, folded)) return true;
    return false;
  };
}

const NEGATED: ReadonlySet<Condition['op']> = new Set(['ne', 'not_in', 'not_in_network']);

/** Whether the address is one of the addresses, or inside one of the networks; null for an invalid address. */
export function addressTest(
  op: Condition['op'],
  value: Condition['value'],
): (held: string) => boolean | null {
  const texts = Array.isArray(value) ? value : [value];
  const networks = texts
    .map((text) => parseNetwork(String(text)))
    .filter((network): network is Network => network !== null);
  const expected = !NEGATED.has(op);
  return (held) => {
    const ip = parseIp(held);
    if (!ip) return null;
    return networks.some((network) => isInNetwork(ip, network)) === expected;
  };
}
