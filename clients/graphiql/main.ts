import { openSandbox } from '../pages/sandbox-key.ts';
import { EXAMPLE_TABS } from './examples.ts';
import { createFetcher, type Fetcher } from './fetcher.ts';
import { createKeyBar } from './key-bar.ts';
import { createStorage, type KeptStorage } from './storage.ts';

/*
 * The page of GraphiQL: the bundle of @graphql-yoga/render-graphiql with a field for the key, examples, and a storage
 * that keeps no key.
 */

type Options = {
  title: string;
  fetcher: Fetcher;
  storage: KeptStorage;
  defaultTabs: { query: string; variables: string | null; headers: null }[];
  shouldPersistHeaders: false;
  showPersistHeadersSettings: false;
  defaultEditorToolsVisibility: 'variables' | false;
  onEditQuery: () => void;
};

declare global {
  var YogaGraphiQL: { renderYogaGraphiQL(root: Element, options: Options): void };
  var MonacoEnvironment: { globalAPI: false; getWorkerUrl(module: string, label: string): string };
}

const WORKERS: Readonly<Record<string, string>> = {
  json: '/graphiql/json-worker.js',
  graphql: '/graphiql/graphql-worker.js',
};

globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => WORKERS[label] ?? '/graphiql/editor-worker.js',
};

const opened = openSandbox();
// Yoga's bundle opens a query in the URL. A URL made by another person must not fill the editor.
history.replaceState(null, '', location.pathname);

globalThis.YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root')!, {
  title: 'GraphiQL',
  fetcher: createFetcher(createKeyBar(opened)),
  storage: createStorage(localStorage, sessionStorage),
  defaultTabs: EXAMPLE_TABS.map(({ query, variables = null }) => ({ query, variables, headers: null })),
  shouldPersistHeaders: false,
  showPersistHeadersSettings: false,
  // Where the editor is above the answer, variables take the height of the editor.
  defaultEditorToolsVisibility: matchMedia('(max-width: 720px)').matches ? false : 'variables',
  // Yoga's own handler writes the query into the address.
  onEditQuery: () => {},
});
