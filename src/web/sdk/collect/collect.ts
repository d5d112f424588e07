import { attempt } from '../attempt.ts';
import type { Facts } from '../facts.ts';
import type { Settings } from '../options.ts';
import { sumAudio } from './audio.ts';
import { automationFacts } from './automation.ts';
import { canvasFacts } from './canvas.ts';
import { readClientHints } from './client-hints.ts';
import { frameFacts, withFrame, workerFacts } from './contexts.ts';
import { basicFacts, clockFacts, engineFacts, permissionFacts, screenFacts } from './environment.ts';
import { probeFeatures } from './features.ts';
import { fingerprintFacts } from './fingerprint.ts';
import { inspectBuiltIns } from './native-code.ts';
import { addressFacts, cameraFacts, locationFacts } from './on-request.ts';
import type { Part } from './parts.ts';
import { databaseFacts, quotaFacts, storageFacts } from './storage.ts';

/** What a session is opened with. Those that wait for the browser's other processes come first, to run meanwhile. */
export function openingParts(): Part[] {
  const audio = sumAudio().catch(() => undefined);
  const hints = readClientHints();
  return [
    async () => (await hints).facts,
    async () => {
      const sums = await audio;
      return { checks: { audio_first: sums?.first, audio_second: sums?.second } };
    },
    permissionFacts,
    () => fingerprintFacts({ audio, hardware: hints.then(({ hardware }) => hardware).catch(() => ({})) }),
    basicFacts,
    screenFacts,
    engineFacts,
    clockFacts,
    storageFacts,
    automationFacts,
    frameAndCodeFacts,
    () => ({ checks: { features: probeFeatures(window) } }),
    canvasFacts,
  ];
}

/** What runs beside the opening, which does not wait for it: on a busy machine each may take longer than all the rest. */
export function accompanyingParts({ worker }: Pick<Settings, 'worker'>): Part[] {
  return [...(worker ? [workerFacts] : []), databaseFacts, quotaFacts, cameraFacts];
}

/** What the page's owner asked for besides. It may wait for a person. */
export function requestedParts({ location, stunServer }: Pick<Settings, 'location' | 'stunServer'>): Part[] {
  return [() => locationFacts(location), () => addressFacts(stunServer)];
}

/** The frame's own Function.prototype.toString tells of the page's functions, since the page's may be replaced. */
function frameAndCodeFacts(): Facts {
  const own = (member: unknown) => Function.prototype.toString.call(member);
  const found = attempt(
    () =>
      withFrame((frame) => ({
        facts: frameFacts(frame),
        code: inspectBuiltIns(window, (member) => frame.Function.prototype.toString.call(member)),
      })),
    undefined,
  );
  const { nonNative, proxyTraces } = found?.code ?? inspectBuiltIns(window, own);
  return { checks: { ...found?.facts.checks, non_native: nonNative, proxy_traces: proxyTraces } };
}
