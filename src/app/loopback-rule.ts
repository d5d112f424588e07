import { isLoopbackHost } from '@vouchgraph/events/webhooks';
import type { Config } from '../config.ts';
import type { Project } from '../domain/projects/project.ts';
import type { ProjectService } from '../domain/projects/project-service.ts';

/** Whether the settings expect clients of this machine alone. A secret for them never crosses a network in plain text. */
export function isOfThisMachine({
  host,
  trustedProxies,
  publicUrl,
}: Pick<Config, 'host' | 'trustedProxies' | 'publicUrl'>): boolean {
  return isLoopbackHost(host) && trustedProxies.length === 0 && publicUrl === undefined;
}

/**
 * Whether a project may receive webhooks on loopback: sandboxes may, if the settings allow it. The first production project of the
 * database ends it at once, for every gateway: any process can create one, so the rule reads the database each time.
 */
export function loopbackRule(
  { webhookAllowLoopback }: Config,
  { hasProductionProject }: Pick<ProjectService, 'hasProductionProject'>,
): (project: Project) => Promise<boolean> {
  return async ({ environment }) =>
    webhookAllowLoopback && environment === 'sandbox' && !(await hasProductionProject());
}
