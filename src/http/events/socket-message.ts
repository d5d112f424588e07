import { AppError } from '@vouchgraph/platform/errors';
import { parseUnchecked, refuseUnstorable } from '@vouchgraph/platform/json';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { SubscribePayload } from 'graphql-ws';

/** Errors of the messages that contain these payloads. */
const problems = new WeakMap<object, AppError>();

/**
 * A message of a WebSocket, parsed like a body of HTTP. The library of the protocol parses text itself, and accepts a parsed
 * message too. Text that is not JSON is returned as it is: the library closes the socket.
 */
export function parseMessage(text: string): string {
  return parsed(text) as string;
}

function parsed(text: string): unknown {
  try {
    return parseUnchecked(text, LIMITS.requestBodyDepth) ?? text;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message: unknown = JSON.parse(text);
    const payload = (message as { payload?: unknown } | null)?.payload;
    if (typeof payload === 'object' && payload !== null) problems.set(payload, error);
    return message;
  }
}

/** Throws for an operation whose message is ambiguous, and for variables that cannot be stored. */
export function checkVariables(payload: SubscribePayload): void {
  const problem = problems.get(payload);
  if (problem) throw problem;
  refuseUnstorable(payload.variables);
}
