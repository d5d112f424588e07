/** Aborts on SIGINT (Ctrl-C) or SIGTERM; a second signal ends the process. */
export function abortOnSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = () => {
    process.removeListener('SIGINT', onSignal).removeListener('SIGTERM', onSignal);
    stop.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return stop.signal;
}
