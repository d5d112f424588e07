/** Messages from the parent to the load process. */
export type LoadMessage =
  | { kind: 'requests'; lane: string; host: string; port: number; requests: readonly string[] }
  | {
      kind: 'run';
      lane: string;
      connections: number;
      /** Cycles through the requests for this time; null sends each once. */
      seconds: number | null;
    }
  | {
      kind: 'mix';
      lanes: readonly MixedLane[];
      connections: number;
      seconds: number;
      /**
       * Requests per second of all lanes, started at random times whether or not earlier ones are answered
       * (open loop); null starts one as soon as a connection is free (closed loop).
       */
      rate: number | null;
    };

/** A lane of a mix and its share of the requests. */
export type MixedLane = { lane: string; share: number };

/** One turn of a lane as measured by the load process. */
export type LoadResult = {
  requests: number;
  elapsedMs: number;
  p50Ms: number;
  p99Ms: number;
  /** Responses without a 2xx status, and requests without a response. */
  failures: number;
  /** Every hundredth response, and the first that failed. */
  samples: { index: number; status: number; body: string }[];
};

export type LoadReply =
  | { kind: 'ready' }
  | ({ kind: 'result' } & LoadResult)
  | { kind: 'results'; results: LoadResult[] }
  | { kind: 'error'; message: string };
