/** Aborts on SIGINT (Ctrl-C) or SIGTERM; a second signal ends the process. */
export function abortOnSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return stop.signal;
}
