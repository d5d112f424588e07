import { openSandbox } from './sandbox-key.ts';

/*
 * The REST reference: Swagger UI with the document of this gateway.
 */

type SwaggerUi = { preauthorizeApiKey(scheme: string, key: string): void };

declare global {
  var SwaggerUIBundle: (options: Record<string, unknown>) => SwaggerUi;
}

const SCHEME = 'key';

async function start(): Promise<void> {
  // Swagger UI reads the fragment of the address.
  const { sandbox } = await openSandbox();
  const response = await fetch('/openapi.json');
  const document = (await response.json()) as Record<string, unknown>;
  const ui = globalThis.SwaggerUIBundle({
    // Requests go to the origin of the page: its policy blocks the other names of the gateway.
    spec: { ...document, servers: [{ url: '/' }] },
    dom_id: '#reference',
    deepLinking: true,
    tryItOutEnabled: true,
    showExtensions: true,
    onComplete: () => {
      if (sandbox) ui.preauthorizeApiKey(SCHEME, sandbox.key);
    },
  });
}

start().catch(() => {
  document.getElementById('reference')!.textContent = 'The gateway did not answer. Reload the page.';
});
