import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { answerParent } from './answer-parent.ts';

/* The gateway as it is served; its parent reads its memory, its event loop delay and its subscribers. */
const app = await createApp({ config: readConfig() });
const { baseUrl } = app.serve();
process.on('disconnect', () => {
  app.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
answerParent(baseUrl, { subscribers: () => app.parts.http.subscriptions.counts().subscribers });
