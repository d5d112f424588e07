import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** Treatment of a request by a network: forward it, never respond, or close the connection. It never answers itself. */
export type Treatment = 'forward' | 'hang' | 'drop';

export type SiteOptions = {
  /** HTML by path. A promise is awaited: until then, a browser that opens the page still shows the one before. */
  pages?: Readonly<Record<string, string | Promise<string>>>;
  contentSecurityPolicy?: string;
  /** Target of every other path, as by a reverse proxy; 404 without it. */
  gatewayUrl?: string;
  /** Address of the visitor that the proxy writes into X-Forwarded-For. */
  visitorAddress?: string;
  /** Treatment of a request to the gateway. */
  treat?: (request: { method: string; path: string }) => Treatment;
  /** Receives each forwarded request with its answer, once the answer is complete. */
  onForwarded?: (exchange: Forwarded) => void;
};

/** A request to the gateway and the status of its answer, both forwarded unchanged. */
export type Forwarded = { method: string; path: string; body: Buffer; status: number };

/** A web site on this machine. */
export type Site = {
  /** Its address as `localhost`. To a browser, `127.0.0.1` is another site. */
  url: string;
  close(): Promise<void>;
};

/** Starts a site that serves its pages, and forwards the rest to a gateway when it is a proxy of one. */
export async function startSite(options: SiteOptions): Promise<Site> {
  return listen((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const page = options.pages?.[path];
    if (page !== undefined) return void sendPage(response, page, options.contentSecurityPolicy);
    if (options.gatewayUrl === undefined) return void response.writeHead(404).end();
    const treatment = options.treat?.({ method: request.method ?? 'GET', path }) ?? 'forward';
    if (treatment === 'hang') return;
    if (treatment === 'drop') return void request.destroy();
    forward(request, response, options.gatewayUrl, options);
  });
}

async function listen(listener: RequestListener): Promise<Site> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function sendPage(
  response: ServerResponse,
  page: string | Promise<string>,
  contentSecurityPolicy?: string,
): Promise<void> {
  const html = await page;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  if (contentSecurityPolicy) response.setHeader('content-security-policy', contentSecurityPolicy);
  response.end(html);
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  gatewayUrl: string,
  { visitorAddress, onForwarded }: Pick<SiteOptions, 'visitorAddress' | 'onForwarded'>,
): void {
  const sent: Buffer[] = [];
  const headers = { ...request.headers };
  if (visitorAddress !== undefined) headers['x-forwarded-for'] = visitorAddress;
  const onward = openRequest(
    new URL(request.url ?? '/', gatewayUrl),
    { method: request.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('end', () => {
        const { pathname: path } = new URL(request.url ?? '/', gatewayUrl);
        const status = answer.statusCode ?? 0;
        onForwarded?.({ method: request.method ?? 'GET', path, body: Buffer.concat(sent), status });
      });
    },
  );
  onward.on('error', () => response.destroy());
  if (onForwarded) request.on('data', (piece: Buffer) => sent.push(piece));
  request.pipe(onward);
}

export type HostPageOptions = {
  /** Origin of the script, as `http://localhost:4000` or '' for the page's own origin. */
  gatewayUrl: string;
  /** The script's `data-` attributes without their prefix. */
  attributes: Readonly<Record<string, string>>;
  /** Number of script elements. */
  times?: number;
};

/** A page of a customer that includes the script and has a registration form. */
export function hostPage({ gatewayUrl, attributes, times = 1 }: HostPageOptions): string {
  const data = Object.entries(attributes).map(([name, value]) => ` data-${name}="${value}"`);
  const script = `<script src="${gatewayUrl}/sdk.js"${data.join('')}></script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sign up</title>
<link rel="icon" href="data:,">
${script.repeat(times)}
</head>
<body>
<h1>Sign up</h1>
<p id="text">Some text to copy</p>
<form id="form" method="post" target="sent" action="/sent">
<label>Name <input id="name" name="name" autocomplete="off"></label>
<label>Email <input id="email" name="email" autocomplete="off"></label>
<button id="send">Sign up</button>
</form>
<iframe name="sent" title="Answer" hidden></iframe>
</body>
</html>`;
}
