import type { SessionFacts } from '../evidence/evidence.ts';
import { APP_INTEGRITY_CONFIDENCE, DEVICE_INTEGRITY_CONFIDENCE } from '../evidence/weights.ts';
import type { Finding } from './finding.ts';
import {
  emulatorIndicator,
  hookIndicator,
  type Indicator,
  isSimulatedModel,
  jailbreakIndicator,
  rootIndicator,
} from './phone-indicators.ts';

/** Every sign that an Android phone is an emulator or rooted. */
export function androidFindings({ checks, mobile }: SessionFacts): Finding[] {
  return [
    ...modelFindings([mobile?.model ?? '', checks?.userAgentData?.model ?? ''], 'android'),
    ...indicatorFindings('root', (checks?.rootIndicators ?? []).map(rootIndicator)),
    ...indicatorFindings('emulator', (checks?.emulatorIndicators ?? []).map(emulatorIndicator)),
    ...(mobile?.integrityProvider === 'play_integrity' ? playDeviceFindings(mobile.integrityVerdicts) : []),
  ];
}

/** Every sign that an iPhone or iPad is a simulator or jailbroken. */
export function iosFindings({ checks, mobile }: SessionFacts): Finding[] {
  const asked = mobile?.integrityProvider === 'app_attest' || mobile?.integrityProvider === 'device_check';
  return [
    ...modelFindings([mobile?.model ?? ''], 'ios'),
    ...indicatorFindings('jailbreak', (checks?.rootIndicators ?? []).map(jailbreakIndicator)),
    ...indicatorFindings('simulator', (checks?.emulatorIndicators ?? []).map(emulatorIndicator)),
    ...(asked ? appleFindings(mobile.integrityVerdicts) : []),
  ];
}

/** Every sign that the app was modified or is being instrumented. */
export function appFindings({ checks, mobile }: SessionFacts): Finding[] {
  const play = mobile?.integrityProvider === 'play_integrity' ? mobile.integrityVerdicts : [];
  return [
    ...(checks?.appSignatureValid === false
      ? [
          finding(
            'signature',
            APP_INTEGRITY_CONFIDENCE.signatureInvalid,
            'app_checks',
            'signature is not its own',
          ),
        ]
      : []),
    ...(checks?.hookIndicators ?? []).map(hookFinding),
    ...playAppFindings(play),
  ];
}

function modelFindings(models: readonly string[], system: 'android' | 'ios'): Finding[] {
  if (!models.some((model) => isSimulatedModel(model, system))) return [];
  return [finding('model', DEVICE_INTEGRITY_CONFIDENCE.model, 'device_model', "an emulator's model name")];
}

const INDICATOR_CONFIDENCE = {
  known: DEVICE_INTEGRITY_CONFIDENCE.knownIndicator,
  weak: DEVICE_INTEGRITY_CONFIDENCE.customSystem,
  unknown: DEVICE_INTEGRITY_CONFIDENCE.unknownIndicator,
} as const;

/** Indicators of one kind have one cause, so only the one with the highest confidence counts. */
function indicatorFindings(sign: string, indicators: readonly Indicator[]): Finding[] {
  return indicators.map(({ name, strength }) =>
    finding(sign, INDICATOR_CONFIDENCE[strength], 'app_checks', `${sign}: ${name}`),
  );
}

/**
 * Google's labels for the device: none when it is attacked, rooted or an emulator; BASIC alone when it is not
 * certified; VIRTUAL for an emulator with Google services (developer.android.com, Play Integrity, "Integrity
 * verdicts"). Labels for the app only, without any for the device, confirm that the device got none.
 */
function playDeviceFindings(verdicts: readonly string[]): Finding[] {
  if (verdicts.some((verdict) => /^MEETS_(DEVICE|STRONG)_INTEGRITY$/.test(verdict))) return [];
  const { virtualOnly, basicOnly, emptyVerdict, emptyVerdictConfirmed } = DEVICE_INTEGRITY_CONFIDENCE;
  if (verdicts.includes('MEETS_VIRTUAL_INTEGRITY'))
    return [playFinding(virtualOnly, 'MEETS_VIRTUAL_INTEGRITY')];
  if (verdicts.includes('MEETS_BASIC_INTEGRITY')) {
    return [playFinding(basicOnly, 'MEETS_BASIC_INTEGRITY alone')];
  }
  return [playFinding(verdicts.length > 0 ? emptyVerdictConfirmed : emptyVerdict, 'no label for the device')];
}

function playFinding(confidence: number, observed: string): Finding {
  return finding('verdict', confidence, 'play_integrity', `Play Integrity: ${observed}`);
}

/** The certificate or package does not match the store's, or the app was not installed from the store. */
function playAppFindings(verdicts: readonly string[]): Finding[] {
  const { unrecognizedVersion, unlicensed } = APP_INTEGRITY_CONFIDENCE;
  return [
    ...(verdicts.includes('UNRECOGNIZED_VERSION')
      ? [playFinding(unrecognizedVersion, 'UNRECOGNIZED_VERSION')]
      : []),
    ...(verdicts.includes('UNLICENSED')
      ? [{ ...playFinding(unlicensed, 'UNLICENSED'), sign: 'licence' }]
      : []),
  ];
}

/**
 * Apple names no verdicts: the app's own server checks the attestation and sends the result. An error of the service
 * (`DCError.serverUnavailable`) is no sign of the device; `featureUnsupported` is the simulator's answer, but also that
 * of app extensions and of iPhone apps on a Mac.
 */
function appleFindings(verdicts: readonly string[]): Finding[] {
  return verdicts.flatMap((verdict) => {
    const confidence = appleConfidence(verdict.toLowerCase());
    if (confidence === null) return [];
    return [finding('verdict', confidence, 'app_attest', 'attestation failed')];
  });
}

function appleConfidence(verdict: string): number | null {
  if (/unavailable|system.?failure|timeout|network/.test(verdict)) return null;
  if (/unsupported|not.?supported/.test(verdict)) return DEVICE_INTEGRITY_CONFIDENCE.attestationUnsupported;
  return /fail|invalid|reject|mismatch|untrusted|revoked|replay|jailb|simulat/.test(verdict)
    ? DEVICE_INTEGRITY_CONFIDENCE.attestationFailed
    : null;
}

function hookFinding(text: string): Finding {
  const { name, strength, kind } = hookIndicator(text);
  const { knownHook, unknownHook, clonedApp } = APP_INTEGRITY_CONFIDENCE;
  const hook = strength === 'known' ? knownHook : unknownHook;
  const confidence = { hook, debugger: APP_INTEGRITY_CONFIDENCE.debugger, clone: clonedApp }[kind];
  return finding(kind, confidence, 'app_checks', name);
}

function finding(sign: string, confidence: number, source: string, observed: string): Finding {
  return { sign, confidence, source, observed };
}
