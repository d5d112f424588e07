import { automationFindings } from '../automation/automation-findings.ts';
import { mergeFindings } from '../automation/finding.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.9, bot: 0.9 } as const;

export const automationFrameworkDetected = {
  code: 'automation_framework_detected',
  family: 'device',
  describes: 'Browser controlled by a program such as Selenium, Puppeteer or Playwright.',
  needs: '`navigator.webdriver`; global variables of tools; an attached debugger; components of BotD',
  limits:
    'Fraud by itself: tests and accessibility tools also automate. Open developer tools count 0.15 times.',
  weights: WEIGHTS,
  evaluate({ checks }) {
    const found = checks && mergeFindings(automationFindings(checks));
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'automation_framework_detected',
      family: 'device',
      group: 'automation',
      ...weigh(WEIGHTS, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
