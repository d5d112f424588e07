import { type Finding, mergeFindings } from '../automation/finding.ts';
import { isMobileDevice } from '../automation/mobile-device.ts';
import { type GpsFacts, type SessionFacts, type SignalCode, weigh } from '../evidence/evidence.ts';
import { claimedPosition } from '../geo/gps-position.ts';

const WEIGHTS = { deviceRisk: 0.6, locationSpoofing: 0.8 } as const;

/** Signs of a simulated location. Satellite fixes drift, even of a device that lies still. */
const MOCK_LOCATION_CONFIDENCE = {
  systemFlag: 0.95,
  manyRepeats: 0.6,
  someRepeats: 0.4,
  manyRepeatsFrom: 10,
  someRepeatsFrom: 5,
  /** Less accurate positions come from networks and repeat exactly. */
  satelliteFixM: 30,
  perfectAccuracyComputer: 0.6,
  perfectAccuracyPhone: 0.2,
} as const;

export const mockLocationEnabled = {
  code: 'mock_location_enabled',
  family: 'device',
  describes:
    'Simulated position of the device: marked by the system, repeated exactly, or accurate to 1 m or less.',
  needs: 'position and accuracy (m); mock flag of the system; number of repeated fixes',
  limits: 'Where the device is.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = facts.gps && mergeFindings(locationFindings(facts.gps, facts));
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'mock_location_enabled',
      family: 'device',
      group: 'mock_location',
      ...weigh(WEIGHTS, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;

function locationFindings(gps: GpsFacts, facts: SessionFacts): Finding[] {
  return [
    ...(gps.mock === true
      ? [
          finding(
            'system flag',
            MOCK_LOCATION_CONFIDENCE.systemFlag,
            'the system reports a simulated location',
          ),
        ]
      : []),
    ...(claimedPosition(gps) ? [...repeatFindings(gps, facts), ...accuracyFindings(gps, facts)] : []),
  ];
}

/** Computers are located by networks, whose response is constant, and do not move. */
function repeatFindings({ accuracyM }: GpsFacts, facts: SessionFacts): Finding[] {
  const { manyRepeats, manyRepeatsFrom, someRepeats, someRepeatsFrom, satelliteFixM } =
    MOCK_LOCATION_CONFIDENCE;
  const repeats = facts.checks?.repeatedFixes ?? 0;
  if (repeats < someRepeatsFrom || !isMobileDevice(facts)) return [];
  if (accuracyM === null || accuracyM > satelliteFixM) return [];
  const confidence = repeats >= manyRepeatsFrom ? manyRepeats : someRepeats;
  return [finding('repeats', confidence, 'several positions are exactly equal')];
}

/** Tools that set a location claim 0 or 1 m by default; a computer without a receiver has tens of meters. */
function accuracyFindings({ accuracyM }: GpsFacts, facts: SessionFacts): Finding[] {
  if (accuracyM === null || accuracyM > 1) return [];
  const { perfectAccuracyPhone, perfectAccuracyComputer } = MOCK_LOCATION_CONFIDENCE;
  const confidence = isMobileDevice(facts) ? perfectAccuracyPhone : perfectAccuracyComputer;
  return [finding('accuracy', confidence, 'accuracy of 1 m or less')];
}

function finding(sign: string, confidence: number, observed: string): Finding {
  return { sign, confidence, source: 'device_location', observed };
}
