/*
 * What automation tools leave on window, document or the root element. Facts from the tools themselves and from the
 * list of BotD 2.0 (MIT, fingerprintjs/botd, `distinctiveProps`).
 */
const TOOLS: ReadonlyArray<readonly [tool: string, name: RegExp]> = [
  // ChromeDriver keeps copies of built-ins under a key that patched builds rename letter by letter.
  ['ChromeDriver', /^\$?[a-z]{3}_[a-zA-Z0-9]{22}_/],
  ['ChromeDriver', /^(\$chrome_asyncScriptInfo|ChromeDriverw)$/],
  ['Selenium', /^_{0,2}(selenium|Selenium_IDE)|^calledSelenium$/],
  ['Selenium', /^__(\$?webdriver|driver_|fxdriver_|lastWatir)|^_WEBDRIVER_ELEM_CACHE$|^webdriver\b/],
  ['Playwright', /^__(playwright|pw_|pwInit)/i],
  ['Puppeteer', /^_{0,2}puppeteer/i],
  ['PhantomJS', /^(callPhantom|_phantom|phantom|__phantomas)$/],
  ['Nightmare', /^(__)?nightmare$/],
  ['Cypress', /^(__)?cypress/i],
  ['TestCafe', /^%?(testCafe|hammerhead)/i],
  ['WebdriverIO', /^wdio/i],
  ['Chromium test hooks', /^domAutomation(Controller)?$/],
  ['FMiner', /^fmget_targets$/],
];

/** The tool that leaves a global or attribute of this name, null when no known one does. */
export function toolOfGlobal(name: string): string | null {
  const bare = name.replace(/^(window|document|html)\./, '');
  return TOOLS.find(([, pattern]) => pattern.test(bare))?.[0] ?? null;
}
