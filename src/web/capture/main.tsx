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
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  leave: (url) => location.assign(url),
  onChange: draw,
});

function draw(): void {
  render(<App flow={flow} />, root);
}

flow.begin();
