import { forbidden } from '../../platform/errors.ts';
import type { Viewer } from './access-service.ts';
import { assertMay } from './assert-may.ts';
import { type BrowserTokenClaims, signBrowserToken } from './browser-token.ts';

/** A token for a page, which expires with the key of the viewer. */
export function createBrowserToken(viewer: Viewer, claims: Omit<BrowserTokenClaims, 'keyId'>): string {
  assertMay(viewer, 'browser_token.create');
  const { project, keyId } = viewer;
  // Of viewers with the role, only the command line has no key.
  if (keyId === undefined) throw forbidden('This operation requires a key');
  return signBrowserToken(project.cipher, project.projectId, { keyId, ...claims });
}
