import { directionOf, type Language } from '../shared/languages.ts';
import { textsOf } from './texts/texts.ts';

/*
 * HTML document of the page on which a person captures face and document. Pure; its server also serves the two referenced
 * files from `generated/`.
 */

/** Paths of the page's script and style, below the path of the service. */
const CAPTURE_SCRIPT_PATH = '/verify/capture.js';
const CAPTURE_STYLE_PATH = '/verify/capture.css';

export type CapturePage = {
  sessionId: string;
  /** Random nonce for each response, which the policy contains too. */
  nonce: string;
  language: Language;
  /** Public URL of the gateway. Only its path is used: the page sends requests to its own origin. */
  baseUrl: string;
  /** Whether the session is simulated: nothing is recorded. */
  isSimulated?: boolean;
  /** Milliseconds until the result of a simulated session is due, 0 to 3,000. */
  dueInMs?: number;
  /** Redirect URL in the link. The page sends it when it runs, and the gateway validates it. */
  redirectUrl?: string;
};

export function capturePage({
  sessionId,
  nonce,
  language,
  baseUrl,
  isSimulated,
  dueInMs = 0,
  redirectUrl = '',
}: CapturePage): string {
  const texts = textsOf(language);
  const basePath = pathOf(baseUrl);
  const attributes = {
    id: 'capture',
    'data-session-id': sessionId,
    'data-base-path': basePath,
    'data-language': language,
    'data-simulated': String(isSimulated === true),
    'data-due-in-ms': String(dueInMs),
    'data-redirect-url': redirectUrl,
  };
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(texts.title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(basePath + CAPTURE_STYLE_PATH)}" nonce="${escapeHtml(nonce)}">
<script type="module" src="${escapeHtml(basePath + CAPTURE_SCRIPT_PATH)}" nonce="${escapeHtml(nonce)}"></script>
</head>
<body>
<div ${Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeHtml(value)}"`)
    .join(' ')}></div>
<noscript><main><h1>${escapeHtml(texts.title)}</h1><p>${escapeHtml(texts.no_script)}</p></main></noscript>
</body>
</html>
`;
}

/** The Content-Security-Policy of the page: its own script and style, its own origin, and images it took itself. */
function capturePagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src blob: data:',
    'media-src blob:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** All headers of the page besides its content type. */
export function capturePageHeaders(nonce: string): Record<string, string> {
  return {
    'content-security-policy': capturePagePolicy(nonce),
    'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}

function pathOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, '') : '';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
