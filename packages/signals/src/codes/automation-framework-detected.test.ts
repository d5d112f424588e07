import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { toolOfGlobal } from '../automation/automation-globals.ts';
import { automationFrameworkDetected } from './automation-framework-detected.ts';

const evaluate = (raw: Record<string, unknown>) =>
  automationFrameworkDetected.evaluate(factsWith({ checks: checksWith(raw) }));

test('navigator.webdriver is reported with high confidence', () => {
  expect(evaluate({ webdriver: true })).toMatchObject({
    group: 'automation',
    contributions: { deviceRisk: 0.9 },
    bot: 0.9,
    observed: 'navigator.webdriver',
  });
});

test.each(['iframe', 'worker'])('webdriver that only the %s still has was hidden', (context) => {
  const evidence = evaluate({ webdriver: false, [context]: { webdriver: true } });
  expect(evidence?.bot).toBeGreaterThan(0.8);
  expect(evidence?.observed).toContain(context);
});

test.each([
  ['$cdc_asdjflasutopfhvcZLmcfl_', 'ChromeDriver'],
  ['cdc_adoQpoasnfa76pfcZLmcfl_Array', 'ChromeDriver'],
  ['xyz_adoQpoasnfa76pfcZLmcfl_Promise', 'ChromeDriver'],
  ['__selenium_unwrapped', 'Selenium'],
  ['document.__webdriver_script_fn', 'Selenium'],
  ['webdriver', 'Selenium'],
  ['__playwright__binding__', 'Playwright'],
  ['__pwInitScripts', 'Playwright'],
  ['__puppeteer_evaluation_script__', 'Puppeteer'],
  ['callPhantom', 'PhantomJS'],
  ['__nightmare', 'Nightmare'],
  ['_phantom', 'PhantomJS'],
  ['__phantomas', 'Phantomas'],
  ['Cypress', 'Cypress'],
  ['__CYPRESS_MODE__', 'Cypress'],
  ['%testCafeAutomation%', 'TestCafe'],
  ['wdioElectron', 'WebdriverIO'],
  ['document.$cdc_asdjflasutopfhvcZLmcfl_', 'ChromeDriver'],
  ['_Selenium_IDE_Recorder', 'Selenium'],
  ['html.webdriver', 'Selenium'],
  ['domAutomationController', 'Chromium test hooks'],
])('%s is left by %s', (name, tool) => {
  const evidence = evaluate({ automation_globals: [name] });
  expect(evidence?.bot).toBeGreaterThan(0.8);
  expect(evidence?.observed).toBe(`globals of ${tool}`);
});

test.each([
  'phantom', // Phantom wallet
  '%hammerhead%', // web proxies built on testcafe-hammerhead
  'hammerhead',
  'nightmare',
  'puppeteer',
  'puppeteerEventHandler',
  'testCafe',
  'testCafeteriaTime',
  'cypressCopyText',
  'seleniumLevel',
  '__PW_READER__',
  'wdioReports',
  'abc_0123456789ABCDEFGHIJKL_settings',
])('%s, which visitors or pages also set, belongs to no tool', (name) => {
  expect(toolOfGlobal(name)).toBeNull();
});

test('a global of no known tool is a weak sign and is not quoted', () => {
  const evidence = evaluate({ automation_globals: ['myAppRunner'] });
  expect(evidence?.bot).toBeLessThan(0.25);
  expect(evidence?.observed).toBe('1 unusual globals');
});

test('an open inspector alone is not automation and increases the confidence of other signs', () => {
  const inspector = evaluate({ debugger_attached: true });
  expect(inspector?.bot).toBeLessThan(0.2);
  const both = evaluate({ debugger_attached: true, automation_globals: ['myAppRunner'] });
  expect(both?.confidence).toBeCloseTo(1 - 0.85 * 0.8);
});

test.each([
  [{ documentElementKeys: ['lang', 'selenium'] }, 'BotD detectDocumentAttributes'],
  [{ errorTrace: 'TypeError at phantomjs://code/index.js' }, 'BotD detectErrorTrace'],
  [{ windowExternal: '[object Sequentum]' }, 'BotD detectWindowExternal'],
  [{ webDriver: true }, 'BotD detectWebDriver'],
  [{ distinctiveProps: { selenium: true, geb: false } }, 'properties of selenium'],
])('the rules of BotD are applied to the raw components %o', (botd, observed) => {
  expect(evaluate({ botd })).toMatchObject({ source: 'botd', observed });
  expect(evaluate({ botd })?.bot).toBeGreaterThan(0.8);
});

test('a verdict that the page sends in place of components is ignored', () => {
  expect(
    evaluate({ botd: { bot: true, botKind: 'selenium', detections: { webDriver: { bot: true } } } }),
  ).toBeNull();
});

test.each([
  { distinctiveProps: { electron: true } },
  { process: { type: 'renderer', versions: { electron: '38.0.0' } } },
  { distinctiveProps: { coachjs: true } },
])('embedded browsers, and pages with functions named like a tool, stay far below a flag: %o', (botd) => {
  expect(evaluate({ botd })?.bot).toBeLessThan(0.3);
});

test('components of the wrong type have no effect', () => {
  const botd = {
    documentElementKeys: 'selenium',
    errorTrace: { toString: 'PhantomJS' },
    webDriver: 'true',
    process: null,
    distinctiveProps: { anything: true, selenium: 'yes' },
  };
  expect(evaluate({ botd })).toBeNull();
});

test('a legitimate browser has no sign of automation', () => {
  const botd = {
    webDriver: false,
    documentElementKeys: ['lang', 'class'],
    errorTrace:
      "TypeError: Cannot read properties of null (reading '0')\n    at https://example.com/sdk.js:1:1",
    mimeTypesConsistent: true,
    distinctiveProps: { selenium: false, webdriver: false },
  };
  expect(
    evaluate({ webdriver: false, iframe: { webdriver: false }, debugger_attached: false, botd }),
  ).toBeNull();
});

test('missing checks produce no evidence', () => {
  expect(automationFrameworkDetected.evaluate(factsWith())).toBeNull();
  expect(evaluate({})).toBeNull();
});
