import './capture.css';
import { render } from 'preact';
import { createApi } from './api.ts';
import { App } from './app.tsx';
import { readConfig } from './config.ts';
import { createFlow } from './flow.ts';
import { createKeptMedia } from './kept-media.ts';
import { createSavedStore } from './saved.ts';
import { startSessionFacts } from './session-facts.ts';

const root = document.getElementById('capture')!;
const config = readConfig(root, location.search);

const flow = createFlow({
  config,
  api: createApi(config),
  saved: createSavedStore(config.sessionId),
  kept: createKeptMedia(config.sessionId),
  startFacts: ({ sessionToken }) => startSessionFacts({ ...config, sessionToken }),
  sinceResponseMs,
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  leave: (url) => location.assign(url),
  keepLanguage,
  onChange: draw,
});

/** Milliseconds since the response of the page began, before its script was loaded. */
function sinceResponseMs(): number {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return performance.now() - (navigation?.responseStart ?? 0);
}

/** In the address, so that the gateway answers a reload in this language. */
function keepLanguage(language: string): void {
  const url = new URL(location.href);
  url.searchParams.set('lng', language);
  history.replaceState(history.state, '', url);
}

function draw(): void {
  render(<App flow={flow} />, root);
}

flow.begin();
