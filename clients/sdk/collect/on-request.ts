import type { Facts } from '../facts.ts';
import type { Settings } from '../options.ts';

/*
 * Facts that are only read if the page's options request them, or if the person allowed them before.
 */

const LOCATION_WAIT_MS = 20_000;
const ADDRESS_WAIT_MS = 3000;

/** Position. `true` allows a prompt; `'granted'` reads it only if the permission is already granted. */
export async function locationFacts(location: Settings['location']): Promise<Facts> {
  if (location === false) return {};
  if (location === 'granted') {
    const { state } = await navigator.permissions.query({ name: 'geolocation' });
    if (state !== 'granted') return {};
  }
  const { coords } = await new Promise<GeolocationPosition>((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(resolve, reject, { timeout: LOCATION_WAIT_MS });
  });
  const { latitude, longitude, accuracy } = coords;
  // The response of a receiver without a fix.
  if (latitude === 0 && longitude === 0) return {};
  return { location: { latitude, longitude, accuracy_m: accuracy } };
}

/** Labels of cameras. Browsers reveal them only after the permission for the camera, which is not requested here. */
export async function cameraFacts(): Promise<Facts> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  const labels = devices.filter(({ kind, label }) => kind === 'videoinput' && label !== '');
  return labels.length > 0 ? { checks: { camera_labels: labels.map(({ label }) => label) } } : {};
}

/** Public addresses as a STUN server of the operator's own sees them. */
export async function addressFacts(stunServer: string): Promise<Facts> {
  if (stunServer === '' || typeof RTCPeerConnection !== 'function') return {};
  const connection = new RTCPeerConnection({ iceServers: [{ urls: stunServer }] });
  try {
    const addresses = await reflexiveAddresses(connection);
    return { checks: { webrtc_addresses: addresses } };
  } finally {
    connection.close();
  }
}

async function reflexiveAddresses(connection: RTCPeerConnection): Promise<string[]> {
  const addresses = new Set<string>();
  const gathered = new Promise<void>((resolve) => {
    setTimeout(resolve, ADDRESS_WAIT_MS);
    connection.onicecandidate = ({ candidate }) => {
      if (!candidate) return resolve();
      const address = reflexiveAddressOf(candidate.candidate);
      if (address) addresses.add(address);
    };
  });
  connection.createDataChannel('');
  await connection.setLocalDescription(await connection.createOffer());
  await gathered;
  return [...addresses];
}

/** The address of a server-reflexive candidate (RFC 8839, section 5.1); null for those of the house itself. */
export function reflexiveAddressOf(candidate: string): string | null {
  const fields = candidate.split(' ');
  return fields[6] === 'typ' && fields[7] === 'srflx' ? (fields[4] ?? null) : null;
}
