/** Result of a function that may fail; `fallback` if it does. */
export function attempt<Value>(run: () => Value, fallback: Value): Value {
  try {
    return run();
  } catch {
    return fallback;
  }
}

/** Promise with a deadline: resolves with `fallback` if it is late or fails. */
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

/** Yields to the page. Not by a timer: timers of a background page wait a second. */
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
