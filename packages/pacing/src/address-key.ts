import { isIP } from 'node:net';
import { networkPrefixes } from '@vouchgraph/platform/ip/ip-address';

/** Key of limits by address. An IPv6 /64 counts as one address, since a home has a whole one. */
export function addressKey(ip: string): string {
  return isIP(ip) === 6 ? networkPrefixes(ip).address : ip;
}
