import { DIFFERING_PARTS, devicePartKeys } from '@vouchgraph/linking';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { base62 } from '@vouchgraph/platform/ids';
import type { Project } from '../projects/project.ts';
import { networkHashes } from './network-hashes.ts';
import type { SessionFactsInput } from './session-input.ts';
import type { StoredFacts } from './stored-facts.ts';

const COMPONENTS = 'components:';

/** Columns by which sessions are matched: keyed hashes of browser, device and network. */
export function identityColumns({ cipher }: Project, { input, observed }: StoredFacts) {
  const { ip, browserId, device } = observed;
  return {
    device_id: device && base62(cipher.blindIndex('device id', device), 22),
    browser_hash: browserId ? cipher.blindIndex('browser', browserId) : null,
    device_hash: device ? cipher.blindIndex('device', device) : null,
    ...networkHashes(cipher, ip),
    device_part_hashes: device.startsWith(COMPONENTS) ? partHashes(cipher, input) : [],
  };
}

/** Device after facts were added. A device that a server simulated stays; more facts identify an observed one better. */
export function deviceAfter(isSimulated: boolean, { input, observed }: StoredFacts): string {
  const isKept = isSimulated && observed.device !== '' && !observed.device.startsWith(COMPONENTS);
  return isKept ? observed.device : deviceOf(input, isSimulated ? '' : observed.browserId) || observed.device;
}

/** What identifies the device when the server names none: the fingerprint's components, else the browser's id. */
export function deviceOf(input: SessionFactsInput, browserId: string): string {
  const components = input.device?.components;
  if (components && Object.keys(components).length > 0) {
    return `${COMPONENTS}${JSON.stringify(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
  }
  return browserId && `browser:${browserId}`;
}

/** The first byte identifies the differing part, so that a link can name it. */
function partHashes(cipher: ProjectCipher, { device }: SessionFactsInput): Buffer[] {
  return devicePartKeys(device?.components ?? {}).map(({ part, key }) => {
    const hash = Buffer.from(cipher.blindIndex('device part', key));
    hash[0] = DIFFERING_PARTS.indexOf(part);
    return hash;
  });
}
