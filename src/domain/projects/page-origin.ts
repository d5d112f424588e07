import type { Viewer } from './access-service.ts';

/**
 * Whether a viewer may ask from a page of this origin ('' when there is none). A key of a production project in
 * somebody's page is a leaked key; a browser token is for the pages of the project's own origins.
 */
export function mayAskFrom(viewer: Viewer, origin: string, host: string): boolean {
  const { environment, settings } = viewer.project;
  if (origin === '' || environment === 'sandbox' || isSameHost(origin, host)) return true;
  return viewer.kind !== 'key' && settings.allowedOrigins.includes(origin);
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
