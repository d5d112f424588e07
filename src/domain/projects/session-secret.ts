import { randomSecret } from '@vouchgraph/platform/ids';

/** vgv_<project, 32 hex>_<secret>: it names its project, so that an app may use it in place of a key. */
const PREFIX = 'vgv_';
const SECRET = /^vgv_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[0-9A-Za-z]{43}$/;

export function newSessionSecret(projectId: string): string {
  return `${PREFIX}${projectId.replaceAll('-', '')}_${randomSecret()}`;
}

/** The project that a session's secret names (not yet verified), or null when the text has another shape. */
export function projectOfSessionSecret(text: string): string | null {
  const match = SECRET.exec(text);
  return match ? match.slice(1, 6).join('-') : null;
}
