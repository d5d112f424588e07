import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { invalidInput } from '@vouchgraph/platform/errors';
import { normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import { parseNetwork } from '@vouchgraph/platform/ip/network';
import type { Direction, KeysetPage } from '@vouchgraph/platform/keyset';
import { addressHash, readBrowserId, signalBit, subnetHash } from '@vouchgraph/signals';
import type { Viewer } from '../projects/access-service.ts';
import type { SessionConditions } from './session-search-store.ts';

/** Conditions of a client. */
export type SessionFilter = {
  source?: string | null | undefined;
  connectionType?: string | null | undefined;
  country?: string | null | undefined;
  ipAddress?: string | null | undefined;
  /** A network as CIDR. */
  network?: string | null | undefined;
  deviceId?: string | null | undefined;
  /** Id of the browser, with or without its signature. */
  browserId?: string | null | undefined;
  /** Name of a raised risk signal, as `device_risk`. */
  signal?: string | null | undefined;
  decision?: string | null | undefined;
  startedAfter?: Date | null | undefined;
  startedBefore?: Date | null | undefined;
};

export type SessionSearch = SessionFilter & { direction: Direction; page: KeysetPage };

const NETWORK_TEXT =
  'must be an IPv4 network with the prefix /32 or /24, or an IPv6 network with /128 or /56';

const OF_PERSONS_TEXT = 'must be a whole address for persons, with the prefix /32 or /128';

/**
 * The columns that a filter selects by; null when no session can meet it.
 * @throws input.invalid for text that is no address or no network with one of the stored prefixes, and for a subnet that a person
 * searches: addresses are masked for persons, and a search by a part of a value would find the rest step by step.
 */
export function conditionsOf(
  { kind, project: { cipher } }: Pick<Viewer, 'kind' | 'project'>,
  filter: SessionFilter,
): SessionConditions | null {
  const { ipAddress, network, browserId, signal, ...plain } = filter;
  const address = ipAddress == null ? null : addressOf(cipher, ipAddress);
  const { whole = null, subnet = null } = network == null ? {} : networkOf(cipher, network);
  if (subnet && kind === 'person') throw invalidInput(`network: ${OF_PERSONS_TEXT}`, ['filter', 'network']);
  if (plain.deviceId === '' || browserId === '') return null;
  if (address && whole && !address.equals(whole)) return null;
  return {
    ...plain,
    addressHash: address ?? whole,
    subnetHash: subnet,
    browserHash:
      browserId == null ? null : cipher.blindIndex('browser', readBrowserId(cipher, browserId) ?? browserId),
    signalBit: signal == null ? null : signalBit(signal),
  };
}

function addressOf(cipher: ProjectCipher, text: string): Buffer {
  const ip = normalizeIp(text);
  if (ip === null) throw invalidInput('ipAddress: must be an IPv4 or IPv6 address', ['filter', 'ipAddress']);
  return addressHash(cipher, ip);
}

/** The hash of a network: of one address, or of a subnet. Bits behind the prefix do not matter. */
function networkOf(cipher: ProjectCipher, text: string): { whole?: Buffer; subnet?: Buffer } {
  const [ip = '', prefix] = text.split('/');
  const network = prefix === undefined ? null : parseNetwork(text);
  if (network) {
    const [whole, subnet] = network.version === 4 ? [32, 24] : [128, 56];
    if (network.length === whole) return { whole: addressHash(cipher, ip) };
    if (network.length === subnet) return { subnet: subnetHash(cipher, ip) };
  }
  throw invalidInput(`network: ${NETWORK_TEXT}`, ['filter', 'network']);
}
