/** Initial content of the header editor of GraphiQL. */
export const INITIAL_HEADERS = '{ "x-api-key": "" }';

/** Text that GraphiQL shows until it has a key. */
const GREETING =
  'Paste your key into the headers below, then press Shift-Ctrl-R for the schema and Ctrl-Enter to run the query at the cursor.';

/**
 * Script of the GraphiQL page. GraphiQL asks for the schema before the reader can enter a key; without it the page would
 * start with an error. Such a request is answered with the greeting and is not sent.
 */
export const START_SCRIPT = `(() => {
  const send = globalThis.fetch.bind(globalThis);
  const greeting = ${JSON.stringify(JSON.stringify({ data: { start: GREETING } }))};
  globalThis.fetch = (url, options) => {
    const headers = new Headers(options?.headers);
    const hasKey = Boolean(headers.get('x-api-key') || headers.get('authorization'));
    const isIntrospection = String(options?.body ?? '').includes('query IntrospectionQuery');
    if (hasKey || !isIntrospection) return send(url, options);
    return Promise.resolve(new Response(greeting, { headers: { 'content-type': 'application/json' } }));
  };
})();`;
