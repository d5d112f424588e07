import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Upper bound for any wait on a busy machine. Tests wait no longer than needed. */
export const WAIT_TIMEOUT_MS = 60_000;

/** Steps of the driver that are kept for the error of a test. */
const MAX_STEPS = 8;

/** One request of a page, a worker or a frame. */
export type RecordedRequest = { method: string; url: string; host: string; body: string };

export type BrowserOptions = {
  /**
   * `headless` is the usual mode of automation. `window` is ordinary Chromium with windows on a screen in
   * memory, which needs no display and differs from a person's only in its graphics. `shell` shows the same pages with a
   * quarter less processor time: Chromium without its windows and services, or the whole of it where no shell is installed.
   */
  mode?: 'headless' | 'window' | 'shell';
  /** Whether navigator.webdriver reports the automation, the default. */
  hidesAutomation?: boolean;
  /** Off the record, like an incognito window. */
  incognito?: boolean;
  /** IANA time zone of the machine, as read by the browser; the emulated one is in `context`. */
  timezone?: string;
  /** A profile that outlives the browser, from `createProfile`; by default a new one. */
  profile?: string;
  args?: readonly string[];
  context?: BrowserContextOptions;
};

/** A running Chromium with all requests and errors of its pages. */
export type TestBrowser = {
  readonly context: BrowserContext;
  readonly requests: readonly RecordedRequest[];
  /** Unhandled exceptions and rejected promises. */
  readonly pageErrors: readonly string[];
  /** Console errors of the page or the browser. */
  readonly consoleErrors: readonly string[];
  /** The last steps of the driver. */
  readonly steps: readonly string[];
  /** A separate page, at an address when one is given. */
  open(url?: string): Promise<Page>;
  close(): Promise<void>;
};

/** Chromium connects only to hosts of the page, and starts without dialogs. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Requests to other hosts than the test's are recorded and get no response.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** A screen in memory has neither a size nor a mouse. The last are `mouse` and `hover` as counted by Blink. */
const WINDOW_ARGUMENTS = [
  '--ozone-platform=headless',
  '--ozone-override-screen-size=1440,900',
  '--window-size=1280,860',
  '--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2',
];

/** Starts a browser with a fresh profile, which is removed when it closes. */
export async function startBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const executablePath = options.mode === 'shell' ? findShell() : findChromium();
  const ownProfile = options.profile || options.incognito ? null : await createProfile();
  const removeProfile = async () => {
    if (ownProfile !== null) await removeFolder(ownProfile);
  };
  try {
    const steps: string[] = [];
    const launched = await launch(executablePath, options.profile ?? ownProfile, options, steps);
    launched.context.setDefaultTimeout(WAIT_TIMEOUT_MS);
    return {
      ...record(launched.context),
      steps,
      context: launched.context,
      async open(url) {
        const page = await launched.context.newPage();
        if (url !== undefined) await page.goto(url);
        return page;
      },
      async close() {
        await launched.close();
        await removeProfile();
      },
    };
  } catch (error) {
    await removeProfile();
    throw error;
  }
}

/**
 * Leaves the page as by closing its tab. Chromium may confirm that a tab is closed which remains open
 * (https://issues.chromium.org/issues/536385539), and the driver then waits for its end for ever.
 */
export async function leave(page: Page): Promise<void> {
  await page.goto('about:blank');
}

/** A profile folder for several visits; the caller removes it. */
export function createProfile(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'vouchgraph-chromium-'));
}

/** The browser's last processes may still write for a moment after it has closed. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Without a profile the browser is off the record. */
async function launch(
  executablePath: string,
  profile: string | null,
  options: BrowserOptions,
  steps: string[],
) {
  const { mode = 'headless', hidesAutomation = false } = options;
  const settings = {
    executablePath,
    headless: mode !== 'window',
    args: [
      ...ARGUMENTS,
      ...(mode === 'window' ? WINDOW_ARGUMENTS : []),
      ...(hidesAutomation ? ['--disable-blink-features=AutomationControlled'] : []),
      ...(options.args ?? []),
    ],
    env: { ...process.env, ...(options.timezone ? { TZ: options.timezone } : {}) },
    ignoreDefaultArgs: hidesAutomation ? ['--enable-automation'] : [],
    logger: {
      isEnabled: (name: string) => name === 'api',
      log(_name: string, _severity: string, message: string | Error) {
        // The beginning and the end of each; other lines say what a step waits for.
        if (/^(=>|<=)/.test(String(message)) && steps.push(String(message)) > MAX_STEPS) steps.shift();
      },
    },
  };
  // A viewport set by the driver would be an emulated one.
  const context = { ...(mode === 'window' ? { viewport: null } : {}), ...options.context };
  if (profile !== null) {
    const persistent = await chromium.launchPersistentContext(profile, { ...settings, ...context });
    return { context: persistent, close: () => persistent.close() };
  }
  const browser = await chromium.launch(settings);
  // Later contexts share no profile: they are off the record.
  return { context: await browser.newContext(context), close: () => browser.close() };
}

function record(context: BrowserContext) {
  const requests: RecordedRequest[] = [];
  const pageErrors: string[] = [];
  const consoleErrors: string[] = [];
  context.on('request', (request) => {
    const { host } = new URL(request.url());
    // Documents and images inside the page send no request.
    if (host === '') return;
    requests.push({ method: request.method(), url: request.url(), host, body: request.postData() ?? '' });
  });
  context.on('weberror', (error) => pageErrors.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text());
  });
  return { requests, pageErrors, consoleErrors };
}

/** The Chromium or Chrome of this machine; CHROMIUM_PATH names another. */
export function findChromium(): string {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH: ${named} does not exist`);
  }
  const found = usualPlaces().find((place) => existsSync(place));
  if (found) return found;
  throw new Error(
    'The browser tests need Chromium, and none was found. Install it (Debian, Ubuntu: tools/install-chromium.sh; ' +
      'Fedora: dnf install chromium; macOS: brew install --cask chromium; Windows: winget install Google.Chrome), ' +
      'or set CHROMIUM_PATH to its executable.',
  );
}

/** The shell of Chromium on this machine, or Chromium without one; CHROMIUM_SHELL_PATH names another. */
function findShell(): string {
  const named = process.env.CHROMIUM_SHELL_PATH;
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_SHELL_PATH: ${named} does not exist`);
  }
  const names = ['chromium-headless-shell', 'chrome-headless-shell'];
  return placesOf(names).find((place) => existsSync(place)) ?? findChromium();
}

function usualPlaces(): string[] {
  if (process.platform === 'darwin') return ['/', homedir()].flatMap(macPlaces);
  if (process.platform === 'win32') return windowsPlaces();
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return [
    ...placesOf(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']),
    // Folder in which tools/install-chromium.sh unpacks a Chromium that it cannot install.
    join(caches, 'vouchgraph', 'chromium', 'chromium'),
  ];
}

/** Where programs of these names would be installed. */
function placesOf(names: readonly string[]): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).concat('/usr/bin', '/snap/bin');
  return names.flatMap((name) => folders.filter(Boolean).map((folder) => join(folder, name)));
}

function macPlaces(root: string): string[] {
  return ['Chromium', 'Google Chrome'].map((name) =>
    join(root, 'Applications', `${name}.app`, 'Contents', 'MacOS', name),
  );
}

function windowsPlaces(): string[] {
  const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap(
    (name) => process.env[name] ?? [],
  );
  return roots.flatMap((root) =>
    [join('Chromium', 'Application'), join('Google', 'Chrome', 'Application')].map((folder) =>
      join(root, folder, 'chrome.exe'),
    ),
  );
}
