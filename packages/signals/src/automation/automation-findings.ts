import type { Checks } from '../device/checks.ts';
import { AUTOMATION_CONFIDENCE } from '../evidence/weights.ts';
import { toolOfGlobal } from './automation-globals.ts';
import { botdComponents, botdDistinctiveKinds, botdFinds } from './botd-detectors.ts';
import type { Finding } from './finding.ts';

/** Every sign of a program that drives the browser, in the raw values of the page. */
export function automationFindings(checks: Checks): Finding[] {
  return [
    ...webdriverFindings(checks),
    ...globalFindings(checks.automationGlobals),
    ...debuggerFindings(checks),
    ...botdFindings(checks.botd),
  ];
}

/** The property is true in a browser under remote control (W3C WebDriver, section 4). */
function webdriverFindings({ webdriver, worker, iframe }: Checks): Finding[] {
  if (webdriver === true)
    return [finding('webdriver', AUTOMATION_CONFIDENCE.webdriver, 'navigator.webdriver')];
  const context = iframe?.webdriver ? 'an iframe' : worker?.webdriver ? 'a worker' : null;
  if (context === null) return [];
  const observed = `navigator.webdriver in ${context} only`;
  return [finding('webdriver', AUTOMATION_CONFIDENCE.hiddenWebdriver, observed)];
}

function globalFindings(names: readonly string[]): Finding[] {
  const tools = new Set(names.flatMap((name) => toolOfGlobal(name) ?? []));
  if (tools.size > 0) {
    return [finding('globals', AUTOMATION_CONFIDENCE.knownGlobal, `globals of ${[...tools].join(', ')}`)];
  }
  if (names.length === 0) return [];
  return [finding('globals', AUTOMATION_CONFIDENCE.unknownGlobal, `${names.length} unusual globals`)];
}

function debuggerFindings({ debuggerAttached }: Checks): Finding[] {
  if (debuggerAttached !== true) return [];
  return [finding('debugger', AUTOMATION_CONFIDENCE.debuggerAttached, 'a debugger reads the console')];
}

/** BotD rules that identify a tool; rules on windows and plugins belong to headless browsers. */
const BOTD_RULES = [
  ['detectWebDriver', 'webdriver', AUTOMATION_CONFIDENCE.webdriver],
  ['detectDocumentAttributes', 'globals', AUTOMATION_CONFIDENCE.botdRule],
  ['detectErrorTrace', 'error trace', AUTOMATION_CONFIDENCE.botdRule],
  ['detectWindowExternal', 'window.external', AUTOMATION_CONFIDENCE.botdRule],
  ['detectMimeTypesConsistent', 'MIME types', AUTOMATION_CONFIDENCE.inconsistentMimeTypes],
  ['detectProcess', 'embedded', AUTOMATION_CONFIDENCE.embeddedBrowser],
] as const;

function botdFindings(raw: Checks['botd']): Finding[] {
  if (!raw) return [];
  const components = botdComponents(raw);
  const rules = BOTD_RULES.filter(([rule]) => botdFinds(rule, components));
  return [
    ...rules.map(([rule, sign, confidence]) => botdFinding(sign, confidence, `BotD ${rule}`)),
    ...botdDistinctiveKinds(raw).map(distinctiveFinding),
  ];
}

/** Frameworks that embed a browser, in programs that people use. */
const EMBEDDING_KINDS: ReadonlySet<string> = new Set(['electron', 'cef', 'cefsharp', 'awesomium']);

/** Kinds that BotD detects only by `emit`, `spawn` and `geb`, names that pages may use for their own functions. */
const COMMON_NAME_KINDS: ReadonlySet<string> = new Set(['coachjs', 'rhino', 'geb']);

function distinctiveFinding(kind: string): Finding {
  if (EMBEDDING_KINDS.has(kind)) return botdFinding('embedded', AUTOMATION_CONFIDENCE.embeddedBrowser, kind);
  const confidence = COMMON_NAME_KINDS.has(kind)
    ? AUTOMATION_CONFIDENCE.unknownGlobal
    : AUTOMATION_CONFIDENCE.knownGlobal;
  return botdFinding('globals', confidence, `properties of ${kind}`);
}

function finding(sign: string, confidence: number, observed: string): Finding {
  return { sign, confidence, source: 'page_checks', observed };
}

function botdFinding(sign: string, confidence: number, observed: string): Finding {
  return { sign, confidence, source: 'botd', observed };
}
