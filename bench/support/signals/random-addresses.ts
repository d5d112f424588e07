import type { IpNumber } from '@vouchgraph/platform/ip/ip-number';
import { isReachable } from '@vouchgraph/platform/ip/special-networks';
import type { Random } from './random.ts';

/** A public address, anywhere. */
export function randomIpv4(random: Random): IpNumber {
  for (;;) {
    const ip: IpNumber = { version: 4, value: Math.floor(random.share() * 2 ** 32) };
    if (isReachable(ip)) return ip;
  }
}

/** Within the blocks assigned by the registries. */
export function randomIpv6(random: Random): IpNumber {
  const blocks = [0x2001, 0x2400, 0x2600, 0x2604, 0x2800, 0x2a00, 0x2a02, 0x2c0f];
  for (;;) {
    const word = () => Math.floor(random.share() * 2 ** 32);
    const first = random.pick(blocks) * 0x10000 + random.whole(0, 0xffff);
    const ip: IpNumber = { version: 6, words: [first, word(), word(), word()] };
    if (isReachable(ip)) return ip;
  }
}
