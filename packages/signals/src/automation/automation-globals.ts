/*
 * What automation tools leave on window, document or the root element. Facts from the tools themselves and from the
 * list of BotD 2.0 (MIT, fingerprintjs/botd, `distinctiveProps`).
 *
 * A name is listed when only a tool sets it. Names that visitors' software or pages also set are absent: `phantom` (Phantom
 * wallet), `%hammerhead%` (web proxies such as Rammerhead), and the plain words `puppeteer`, `nightmare`, `hammerhead`,
 * `testCafe`, `selenium` and `cypress`. Patterns end where the tool's own name ends, or at a prefix that the tool reserves.
 */
const TOOLS: ReadonlyArray<readonly [tool: string, name: RegExp]> = [
  // ChromeDriver keeps copies of built-ins under a key that patched builds rename letter by letter.
  ['ChromeDriver', /^\$?[a-z]{3}_[a-zA-Z0-9]{22}_(Array|JSON|Object|Promise|Proxy|Symbol|Window)?$/],
  ['ChromeDriver', /^(\$chrome_asyncScriptInfo|ChromeDriverw)$/],
  [
    'Selenium',
    /^(_selenium|__selenium_\w+|_Selenium_IDE_Recorder|call(ed)?Selenium|selenium(-evaluate.*)?)$/,
  ],
  [
    'Selenium',
    /^(__\$?(webdriver|driver_|fxdriver_|lastWatir)\w*|_WEBDRIVER_ELEM_CACHE|webdriver(-\w+)*|driver-evaluate)$/,
  ],
  ['Playwright', /^(__playwright\w*|__pwInitScripts|__pw_manual)$/],
  ['Puppeteer', /^_{0,2}puppeteer_/],
  ['PhantomJS', /^(callPhantom|_phantom)$/],
  ['Phantomas', /^__phantomas$/],
  ['Nightmare', /^__nightmare$/],
  ['Cypress', /^(Cypress|__cypress|__Cypress__|__CYPRESS_\w+)$/],
  ['TestCafe', /^%testCafe\w+%$/],
  ['WebdriverIO', /^wdio(Electron|Tauri)$/],
  ['Chromium test hooks', /^domAutomation(Controller)?$/],
  ['FMiner', /^fmget_targets$/],
];

/** The tool that leaves a global or attribute of this name, null when no known one does. */
export function toolOfGlobal(name: string): string | null {
  const bare = name.replace(/^(window|document|html)\./, '');
  return TOOLS.find(([, pattern]) => pattern.test(bare))?.[0] ?? null;
}
