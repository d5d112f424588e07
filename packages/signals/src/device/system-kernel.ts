/**
 * What an operating system is built on. Systems are compared by it, since honest browsers differ within it: an iPad
 * calls itself a Mac, Android's platform is Linux, and a phone with the desktop page names a desktop of the same
 * kernel.
 */
export type Kernel = 'Windows' | 'Apple' | 'Linux';

/** Of a system as a user agent is read to name it; null when it is another or none. */
export function kernelOfSystem(os: string): Kernel | null {
  if (/^windows/i.test(os)) return 'Windows';
  if (/^(macos|ios|ipados)/i.test(os)) return 'Apple';
  return /^(android|chrome os|linux|[klx]?ubuntu|debian|fedora|arch|mint|manjaro|centos|redhat|suse|gentoo)/i.test(
    os,
  )
    ? 'Linux'
    : null;
}

/** Of the system that a user agent names. */
export function kernelOfUserAgent(userAgent: string): Kernel | null {
  if (/\bWindows NT\b/.test(userAgent)) return 'Windows';
  if (/\b(iPhone|iPad|iPod|Macintosh)\b/.test(userAgent)) return 'Apple';
  return /\b(Android|CrOS|Linux)\b/.test(userAgent) ? 'Linux' : null;
}

/** Of `navigator.platform`, whose values are defined by WHATWG HTML section 8.9.1.1 and by the browsers. */
export function kernelOfPlatform(platform: string): Kernel | null {
  if (/^win/i.test(platform)) return 'Windows';
  if (/^(mac|iphone|ipad|ipod)/i.test(platform)) return 'Apple';
  return /^(linux|android)/i.test(platform) ? 'Linux' : null;
}

/** Of the platform in the user agent client hints, by the names of WICG UA-CH, section 3.3. */
export function kernelOfHint(platform: string): Kernel | null {
  if (platform === 'Windows') return 'Windows';
  if (platform === 'macOS' || platform === 'iOS') return 'Apple';
  return ['Linux', 'Android', 'Chrome OS', 'Chromium OS'].includes(platform) ? 'Linux' : null;
}
