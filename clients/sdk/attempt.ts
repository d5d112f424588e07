/** The answer of a function that may fail; `fallback` when it does. */
export function attempt<Value>(run: () => Value, fallback: Value): Value {
  try {
    return run();
  } catch {
    return fallback;
  }
}

/** A promise that settles within a deadline: `fallback` when it is late, or fails. */
export function within<Value>(promise: Promise<Value>, deadlineMs: number, fallback: Value): Promise<Value> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fallback), deadlineMs);
    const settle = (value: Value) => {
      clearTimeout(timer);
      resolve(value);
    };
    promise.then(settle, () => settle(fallback));
  });
}

/** Lets the page go on for a moment. Timers would not do: a page in the background waits a second for each. */
export function yieldToPage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
