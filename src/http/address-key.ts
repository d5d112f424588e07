import { isIP } from 'node:net';
import { networkPrefixes } from '../platform/ip/ip-address.ts';

/** What limits count by: a home has a whole /64 of IPv6 addresses, which are one. */
export function addressKey(ip: string): string {
  return isIP(ip) === 6 ? networkPrefixes(ip).address : ip;
}
