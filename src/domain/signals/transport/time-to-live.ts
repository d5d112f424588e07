/** The values that systems give their packets: 64 is RFC 1700's, 128 is that of Windows since NT 4.0. */
type InitialTimeToLive = 64 | 128;

/** Internet paths are shorter; what arrives with less began at 32 or was set by hand. */
const LONGEST_PATH = 40;

/**
 * What a packet's time to live was when it left, from what is left of it; null when that cannot be told, and for 255,
 * which network equipment uses.
 */
export function initialTimeToLive(arrived: number): InitialTimeToLive | null {
  if (arrived > 64 - LONGEST_PATH && arrived <= 64) return 64;
  return arrived > 128 - LONGEST_PATH && arrived <= 128 ? 128 : null;
}

/** What the packets of a system begin with, by its name in the user agent. */
export function timeToLiveOf(os: string): InitialTimeToLive | null {
  if (/^windows(?! phone)/i.test(os)) return 128;
  return /^(macos|ios|ipados|android|chrome os|linux|ubuntu|debian|fedora)/i.test(os) ? 64 : null;
}
