/** What flooding connections send. */
export type Attack =
  | 'ping messages'
  | 'ping frames'
  | 'refused subscribes'
  | 'fragments of a byte'
  | 'before the ack'
  | 'pipelined 404'
  | 'pipelined 401'
  | 'pipelined /livez'
  | 'chunks of a byte'
  | 'refused event streams';

export type FloodMessage =
  | { kind: 'start'; attack: Attack; sockets: number; host: string; port: number; key: string }
  | { kind: 'stop' };
/** Connections that were opened, and bytes that were sent, during the attack. */
export type FloodReply = { opened: number; sentBytes: number; mistakes: string[] };
