import { attempt, yieldToPage } from '../attempt.ts';
import type { Facts } from '../facts.ts';
import type { Settings } from '../options.ts';
import { type AudioSums, sumAudio } from './audio.ts';
import { automationFacts } from './automation.ts';
import { type CanvasRenders, renderTwice } from './canvas.ts';
import { readClientHints } from './client-hints.ts';
import { describeContext, withFrame, workerFacts } from './contexts.ts';
import { basicFacts, clockFacts, engineFacts, permissionFacts, screenFacts } from './environment.ts';
import { probeFeatures } from './features.ts';
import { fingerprintFacts } from './fingerprint.ts';
import { installedFonts } from './fonts.ts';
import { type BuiltIns, inspectBuiltIns } from './native-code.ts';
import { addressFacts, cameraFacts, locationFacts } from './on-request.ts';
import type { Part } from './parts.ts';
import { databaseFacts, quotaFacts, storageFacts } from './storage.ts';
import { whenSized } from './window-size.ts';

/** Parts of the opening request. Those that wait for other processes of the browser come first, to run in parallel. */
export function openingParts(): Part[] {
  const sized = whenSized();
  const audio = orNothing(sumAudio());
  const hints = orNothing(readClientHints());
  const canvas = orNothing(yieldToPage().then(renderTwice));
  const frame = orNothing(yieldToPage().then(lookIntoFrame));
  const findings = {
    audio,
    canvas,
    fonts: frame.then((seen) => seen?.fonts),
    hardware: hints.then((read) => read?.hardware ?? {}),
    sized,
  };
  return [
    async () => (await hints)?.facts ?? {},
    permissionFacts,
    () => fingerprintFacts(findings),
    basicFacts,
    () => screenFacts(sized),
    engineFacts,
    clockFacts,
    storageFacts,
    automationFacts,
    () => ({ checks: { features: probeFeatures(window) } }),
    async () => frameChecks(await frame),
    async () => renderChecks(await audio, await canvas),
  ];
}

/** Parts that the opening does not wait for: on a busy machine each may take longer than all others. */
export function accompanyingParts({ worker }: Pick<Settings, 'worker'>): Part[] {
  return [...(worker ? [workerFacts] : []), databaseFacts, quotaFacts, cameraFacts];
}

/** Parts enabled by the page's options. They may wait for a permission. */
export function requestedParts({ location, stunServer }: Pick<Settings, 'location' | 'stunServer'>): Part[] {
  return [() => locationFacts(location), () => addressFacts(stunServer)];
}

type FrameSight = { context: unknown; code: BuiltIns; fonts: string[] };

/** Inspects the page's functions with the frame's Function.prototype.toString, since the page's may be replaced. */
function lookIntoFrame(): FrameSight | undefined {
  return withFrame((frame) => ({
    context: attempt(() => describeContext(frame), undefined),
    code: inspectBuiltIns(window, (member) => frame.Function.prototype.toString.call(member)),
    fonts: attempt(() => installedFonts(frame.document), []),
  }));
}

function frameChecks(seen: FrameSight | undefined): Facts {
  const own = (member: unknown) => Function.prototype.toString.call(member);
  const { nonNative, proxyTraces } = seen?.code ?? inspectBuiltIns(window, own);
  return { checks: { iframe: seen?.context, non_native: nonNative, proxy_traces: proxyTraces } };
}

function renderChecks(audio: AudioSums, canvas: CanvasRenders | undefined): Facts {
  return {
    checks: {
      audio_first: audio?.first,
      audio_second: audio?.second,
      canvas_first: canvas?.first,
      canvas_second: canvas?.second,
      canvas_blank: canvas?.isBlank,
    },
  };
}

function orNothing<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  return promise.catch(() => undefined);
}
