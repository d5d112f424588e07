/*
 * What apps find on phones that are rooted, simulated or hooked. Names of tools, their packages, paths and system
 * properties, as documented by the tools.
 */

/** Strength of an indicator: a known tool, something with other uses as well, or unknown. */
type IndicatorStrength = 'known' | 'weak' | 'unknown';

type Pattern = readonly [name: string, pattern: RegExp];

/** `su` and `apt` are short, so they count as a whole path element only. */
const ROOT_TOOLS: readonly Pattern[] = [
  ['su', /(^|[/\s])su$/i],
  ['Magisk', /magisk|zygisk/i],
  ['KernelSU', /kernelsu|apatch/i],
  ['SuperSU', /supersu|superuser|com\.noshufou|com\.koushikdutta/i],
  ['Riru', /\briru/i],
];

/** Systems that people install themselves are often signed with public keys, and contain such tools. */
const CUSTOM_SYSTEM: readonly Pattern[] = [
  ['test-keys', /test-?keys|dev-?keys/i],
  ['busybox', /busybox/i],
  ['unlocked bootloader', /bootloader|verifiedbootstate|oem_?unlock/i],
  ['ro.debuggable', /ro\.(debuggable|secure)/i],
];

const JAILBREAK_TOOLS: readonly Pattern[] = [
  ['Cydia', /cydia/i],
  ['Sileo', /sileo|zebra\.app|installer\.app/i],
  ['checkra1n', /checkra1n|palera1n|unc0ver|dopamine|taurine|odyssey|electra|chimera/i],
  ['Substrate', /substrate|substitute|libhooker|ellekit|tweakinject/i],
  ['apt', /\/apt(\/|$)/i],
  ['shell', /\/bin\/(bash|sh|zsh)$|\/usr\/sbin\/sshd$/i],
  ['jailbreak', /jailbreak|\/var\/jb/i],
];

const EMULATORS: readonly Pattern[] = [
  ['QEMU', /qemu|goldfish|ranchu/i],
  ['Android SDK', /sdk_?(g?phone|google)|google_sdk|android sdk built for/i],
  ['VirtualBox', /vbox|virtualbox/i],
  ['Genymotion', /genymotion|genyd/i],
  ['BlueStacks', /bluestacks|bstfolder|\bbst\b/i],
  ['Nox', /\bnox|bignox/i],
  ['MEmu', /\bmemu|microvirt/i],
  ['LDPlayer', /ldplayer|ldmnq/i],
  ['Cuttlefish', /cuttlefish|\bcvd\b/i],
  ['Simulator', /simulator|^(i386|x86_64|arm64)$/i],
];

const HOOKS: readonly Pattern[] = [
  ['Frida', /frida|gum-js-loop|gadget\.so|\b27042\b/i],
  ['Xposed', /xposed|lsposed|edxp/i],
  ['Substrate', /substrate|substitute|libhooker|ellekit|tweakinject/i],
  ['Cycript', /cycript/i],
  ['Objection', /objection/i],
  ['fishhook', /fishhook/i],
];

const DEBUGGERS: readonly Pattern[] = [['debugger', /debug|ptrace|tracer|jdwp|lldb/i]];

const CLONES: readonly Pattern[] = [['cloned app', /clone|parallel|dual[ _-]?(app|space)|virtualapp/i]];

/** An indicator, with the name of its tool if it is a known one; the text that the client sent is never repeated. */
export type Indicator = { name: string; strength: IndicatorStrength };

function named(text: string, patterns: readonly Pattern[]): string | null {
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

function classify(text: string, known: readonly Pattern[], weak: readonly Pattern[] = []): Indicator {
  const tool = named(text, known);
  if (tool !== null) return { name: tool, strength: 'known' };
  const custom = named(text, weak);
  return custom === null
    ? { name: 'an unknown indicator', strength: 'unknown' }
    : { name: custom, strength: 'weak' };
}

/** Meaning of a root indicator of Android. */
export function rootIndicator(text: string): Indicator {
  return classify(text, ROOT_TOOLS, CUSTOM_SYSTEM);
}

/** Meaning of a jailbreak indicator of iOS. */
export function jailbreakIndicator(text: string): Indicator {
  return classify(text, JAILBREAK_TOOLS);
}

/** Meaning of an emulator indicator. */
export function emulatorIndicator(text: string): Indicator {
  return classify(text, EMULATORS);
}

/** Meaning of a hook indicator. */
export function hookIndicator(text: string): Indicator & { kind: 'hook' | 'debugger' | 'clone' } {
  if (named(text, HOOKS) === null) {
    const debuggerName = named(text, DEBUGGERS);
    if (debuggerName !== null) return { name: debuggerName, strength: 'weak', kind: 'debugger' };
    const cloneName = named(text, CLONES);
    if (cloneName !== null) return { name: cloneName, strength: 'weak', kind: 'clone' };
  }
  return { ...classify(text, HOOKS), kind: 'hook' };
}

/** `Build.MODEL` of emulators' system images; no phone is sold under such a name. */
const ANDROID_EMULATOR_MODEL =
  /^(sdk|google_sdk|emulator|android sdk built for .*|sdk_g?phone.*|vbox86p?|generic(_x86.*)?|cuttlefish.*|cf_.*|genymotion.*|droid4x.*|bluestacks.*)$/i;

/** In the simulator `utsname.machine` is the Mac's processor instead of a model as `iPhone15,2`. */
const IOS_SIMULATOR_MODEL = /^(i386|x86_64|arm64)$|simulator/i;

/** True for a model name that only emulators and simulators have. */
export function isSimulatedModel(model: string, system: 'android' | 'ios'): boolean {
  return (system === 'android' ? ANDROID_EMULATOR_MODEL : IOS_SIMULATOR_MODEL).test(model.trim());
}
