/** Aborts when the operator (Ctrl-C) or a supervisor asks the command to end; a second signal ends the process. */
export function abortOnSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return stop.signal;
}
