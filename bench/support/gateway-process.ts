import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

/* The gateway as it is served, with settings from the environment; its parent learns its address and its SQL. */
let statements = 0;
const app = await createApp({
  config: readConfig(),
  onStatement: () => {
    statements += 1;
  },
});
const { baseUrl } = await app.listen();
process.on('message', () => process.send!({ statements }));
process.on('disconnect', () => {
  app.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
process.send!({ url: baseUrl });
