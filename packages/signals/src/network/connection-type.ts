import type { AsnClass } from '../data/asn-class.ts';

export const CONNECTION_TYPES = [
  'satellite',
  'private_relay',
  'hosting',
  'mobile',
  'education',
  'government',
  'business',
  'isp',
] as const;

/** '' is not known. */
export type ConnectionType = (typeof CONNECTION_TYPES)[number] | '';

/** Networks whose addresses are servers: no person uses such an address, except through an anonymizer. */
const SERVER_CLASSES: readonly AsnClass[] = ['hosting', 'vpn', 'tor', 'cdn'];

/**
 * What kind of connection a network's addresses are, the first that holds. A network that is known and of no other
 * kind is an access provider (isp); '' is unknown. The class of a network does not identify addresses of a privacy
 * relay: that requires a list of the relay's ranges.
 */
export function connectionTypeOf(isKnown: boolean, classes: readonly AsnClass[]): ConnectionType {
  if (classes.includes('satellite')) return 'satellite';
  if (classes.some((asnClass) => SERVER_CLASSES.includes(asnClass))) return 'hosting';
  for (const type of ['mobile', 'education', 'government', 'business'] as const) {
    if (classes.includes(type)) return type;
  }
  return isKnown ? 'isp' : '';
}
