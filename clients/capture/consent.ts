/** Names the wording of the consent, which the server stores with its time. A new wording needs a new name. */
export const CONSENT_TEXT_VERSION = 'capture-2026-11-2';
