import type { Viewer } from './access-service.ts';

/**
 * Whether a viewer may send requests from a page of this origin ('' without one). A key of a production project in a
 * page is a leaked key; a browser token is valid on pages of the project's own origins.
 */
export function isAllowedOrigin(viewer: Viewer, origin: string, host: string): boolean {
  const { environment, settings } = viewer.project;
  if (origin === '' || environment === 'sandbox' || isSameHost(origin, host)) return true;
  return viewer.kind !== 'key' && viewer.kind !== 'person' && settings.allowedOrigins.includes(origin);
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
