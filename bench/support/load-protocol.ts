/** What the parent asks of the load process. */
export type LoadMessage =
  | { kind: 'requests'; lane: string; host: string; port: number; requests: readonly string[] }
  | {
      kind: 'run';
      lane: string;
      connections: number;
      /** Goes round the requests for so long; null sends each once. */
      seconds: number | null;
    }
  | {
      kind: 'mix';
      lanes: readonly MixedLane[];
      connections: number;
      seconds: number;
      /**
       * Requests a second of all lanes, begun at random times whether or not earlier ones are answered (open loop); null
       * begins one as soon as a connection is free (closed loop).
       */
      rate: number | null;
    };

/** A lane of a mix and its share of the requests. */
export type MixedLane = { lane: string; share: number };

/** One turn of a lane as the load process saw it. */
export type LoadResult = {
  requests: number;
  elapsedMs: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers without a 2xx status, and requests that got none. */
  failures: number;
  /** Every hundredth answer, and the first that failed. */
  samples: { index: number; status: number; body: string }[];
};

export type LoadReply =
  | { kind: 'ready' }
  | ({ kind: 'result' } & LoadResult)
  | { kind: 'results'; results: LoadResult[] }
  | { kind: 'error'; message: string };
