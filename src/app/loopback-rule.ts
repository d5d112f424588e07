import type { Config } from '../config.ts';
import type { Project } from '../domain/projects/project.ts';

/** Whether a project may receive webhooks on loopback: sandboxes may, where the settings allow it. */
export function loopbackRule({ webhookAllowLoopback }: Config): (project: Project) => boolean {
  return ({ environment }) => webhookAllowLoopback && environment === 'sandbox';
}
