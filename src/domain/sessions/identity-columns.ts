import { DIFFERING_PARTS, devicePartKeys } from '@vouchgraph/linking';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { base62 } from '@vouchgraph/platform/ids';
import { isFingerprint, networkHashes, type SessionFactsInput, type StoredFacts } from '@vouchgraph/signals';
import type { Project } from '../projects/project.ts';

/** Columns by which sessions are matched: keyed hashes of browser, device and network. */
export function identityColumns({ cipher }: Project, { input, observed }: StoredFacts) {
  const { ip, browserId, device } = observed;
  return {
    device_id: device && base62(cipher.blindIndex('device id', device), 22),
    browser_hash: browserId ? cipher.blindIndex('browser', browserId) : null,
    device_hash: device ? cipher.blindIndex('device', device) : null,
    ...networkHashes(cipher, ip),
    device_part_hashes: isFingerprint(device) ? partHashes(cipher, input) : [],
  };
}

/** The first byte identifies the differing part, so that a link can name it. */
function partHashes(cipher: ProjectCipher, { device }: SessionFactsInput): Buffer[] {
  return devicePartKeys(device?.components ?? {}).map(({ part, key }) => {
    const hash = Buffer.from(cipher.blindIndex('device part', key));
    hash[0] = DIFFERING_PARTS.indexOf(part);
    return hash;
  });
}
