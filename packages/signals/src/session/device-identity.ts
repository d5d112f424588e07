import type { SessionFactsInput } from './session-input.ts';
import type { StoredFacts } from './stored-facts.ts';

const COMPONENTS = 'components:';

/** Whether the components of a fingerprint identify a device, rather than an id. */
export function isFingerprint(device: string): boolean {
  return device.startsWith(COMPONENTS);
}

/** Device after facts were added. A device that a server simulated stays; more facts identify an observed one better. */
export function deviceAfter(isSimulated: boolean, { input, observed }: StoredFacts): string {
  const isKept = isSimulated && observed.device !== '' && !isFingerprint(observed.device);
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
