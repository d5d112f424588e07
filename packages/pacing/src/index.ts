export { addressKey } from './address-key.ts';
export { type ByteLimit, createByteLimit } from './byte-limit.ts';
export { createFailedAttempts, type FailedAttempts } from './failed-attempts.ts';
export { Heartbeats } from './heartbeats.ts';
export { createMessageBudgets, type MessageBudgets } from './message-budgets.ts';
export { countOpenSockets, type OpenSockets } from './open-sockets.ts';
export { limitPipelining } from './pipelining.ts';
export { createRateLimit, type RateLimit } from './rate-limit.ts';
export { SocketPace } from './socket-pace.ts';
export { textFrame } from './text-frame.ts';
export {
  createUploadBodies,
  isPaced,
  isStreamed,
  readUpload,
  streamsBody,
  type UploadBodies,
} from './upload-body.ts';
