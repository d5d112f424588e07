import { systemClock } from '@vouchgraph/platform/clock';
import { loopbackRule } from '../../app/loopback-rule.ts';
import { createResolve } from '../../domain/outbound/guarded-agent-adapter.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { createEndpointService, type EndpointService } from '../../domain/webhooks/endpoint-service.ts';
import { createSender } from '../../domain/webhooks/sender-service.ts';
import type { CommandStorage } from '../support/open-project.ts';

export type CommandWebhooks = { readonly viewer: Viewer; readonly webhooks: EndpointService };

/** Opens the webhooks of a project, on the stack of the command. */
export async function openWebhooks(
  viewer: Viewer,
  { config, opened, projects }: CommandStorage,
): Promise<CommandWebhooks> {
  const sender = createSender({ resolve: createResolve(config.dnsServers) });
  opened.defer(sender.close);
  const webhooks = createEndpointService({
    clock: systemClock,
    sender,
    allowsLoopback: loopbackRule(config, projects),
    onResent: () => {},
  });
  return { viewer, webhooks };
}
