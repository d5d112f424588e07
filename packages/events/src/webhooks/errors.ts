import { AppError } from '@vouchgraph/platform/errors';

/** Unknown, or another project's: both alike. */
export function endpointNotFound(field?: 'id' | 'endpointId'): AppError {
  return new AppError('webhook.endpoint_not_found', 'not_found', 'Webhook endpoint not found', {
    path: field && [field],
  });
}

/** Unknown, or another project's: both alike. */
export function deliveryNotFound(): AppError {
  return new AppError('webhook.delivery_not_found', 'not_found', 'Webhook delivery not found', {
    path: ['id'],
  });
}

/** The event is erased, or older than events are kept. */
export function eventNotFound(): AppError {
  return new AppError('webhook.event_not_found', 'not_found', 'Event not found');
}

export function endpointNotEnabled(state: string): AppError {
  return new AppError(
    'webhook.endpoint_not_enabled',
    'conflict',
    `The webhook endpoint is ${state}: resume it first`,
  );
}

export function tooManyEndpoints(most: number): AppError {
  return new AppError(
    'webhook.too_many_endpoints',
    'conflict',
    `A project can have at most ${most} webhook endpoints: delete one first`,
  );
}
