/** Initial values of systems: 64 is RFC 1700's, 128 is that of Windows since NT 4.0. */
type InitialTimeToLive = 64 | 128;

/** Internet paths are shorter; a packet with a lower time to live started at 32 or was set manually. */
const MAX_HOPS = 40;

/**
 * Initial time to live of a packet, from its remaining one; null when it is ambiguous, and for 255, which network
 * equipment uses.
 */
export function initialTimeToLive(arrived: number): InitialTimeToLive | null {
  if (arrived > 64 - MAX_HOPS && arrived <= 64) return 64;
  return arrived > 128 - MAX_HOPS && arrived <= 128 ? 128 : null;
}

/** Initial time to live of the packets of a system, by its name in the user agent. */
export function timeToLiveOf(os: string): InitialTimeToLive | null {
  if (/^windows(?! phone)/i.test(os)) return 128;
  return /^(macos|ios|ipados|android|chrome os|linux|ubuntu|debian|fedora)/i.test(os) ? 64 : null;
}
