import { sources as botdSources, collect as collectBotd } from '@fingerprintjs/botd';
import { isChromium, isGecko, isSamsungInternet, isWebKit, sources } from '@fingerprintjs/fingerprintjs';
import { attempt, yieldToPage } from '../attempt.ts';
import type { Facts } from '../facts.ts';
import type { AudioSums } from './audio.ts';
import { botdValues } from './botd-values.ts';
import type { CanvasRenders } from './canvas.ts';
import type { HardwareHints } from './client-hints.ts';
import { deviceComponents, type Engine } from './device-components.ts';

/*
 * The sources of FingerprintJS and BotD are run here one by one. Their `load` is never imported: it alone would send
 * statistics to their makers' host, and is not in the bundle.
 */

const MAX_GPU_LENGTH = 512;

/** Components of the device from other sources. */
export type Findings = {
  audio: Promise<AudioSums>;
  canvas: Promise<CanvasRenders | undefined>;
  fonts: Promise<string[] | undefined>;
  hardware: Promise<HardwareHints>;
  /** Resolves when the window has a size. */
  sized: Promise<void>;
};

/** Components of the device, its graphics card, and the values for BotD. */
export async function fingerprintFacts(findings: Findings): Promise<Facts> {
  const botd = collectBotd({
    ...BOTD_SOURCES,
    windowSize: () => findings.sized.then(botdSources.windowSize),
  });
  const plain = plainValues();
  const basics = await webGlBasics();
  const graphics = typeof basics === 'object' ? basics : undefined;
  const gpuVendor = graphics?.vendorUnmasked || graphics?.vendor;
  const gpuRenderer = graphics?.rendererUnmasked || graphics?.renderer;
  const components = deviceComponents(
    {
      ...plain,
      ...(await findings.hardware),
      audio: await findings.audio,
      canvas: await findings.canvas,
      fonts: await findings.fonts,
      gpu: gpuRenderer && `${gpuVendor} ${gpuRenderer}`,
    },
    engine(),
  );
  return {
    device: { gpu: gpuRenderer?.slice(0, MAX_GPU_LENGTH), components },
    checks: {
      gpu_vendor: gpuVendor,
      gpu_renderer: gpuRenderer,
      botd: botdValues(await botd, graphics),
    },
  };
}

/** BotD's own WebGL source is skipped: it would create a second context, which is slow, for the same values. */
const BOTD_SOURCES = (({ webGL: _, ...others }) => others)(botdSources);

/** Fast sources. Fonts, canvas and audio are read by this script, with less work. */
const PLAIN_SOURCES = {
  osCpu: sources.osCpu,
  languages: sources.languages,
  deviceMemory: sources.deviceMemory,
  screenResolution: sources.screenResolution,
  hardwareConcurrency: sources.hardwareConcurrency,
  platform: sources.platform,
  plugins: sources.plugins,
  touchSupport: sources.touchSupport,
  vendor: sources.vendor,
  vendorFlavors: sources.vendorFlavors,
  math: sources.math,
  cpuArchitecture: sources.architecture,
};

function plainValues(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(PLAIN_SOURCES).map(([name, source]) => [name, attempt<unknown>(source, undefined)]),
  );
}

/** Creating a context is slow, so the script yields to the page before and after. */
async function webGlBasics() {
  await yieldToPage();
  const basics = attempt(() => sources.webGlBasics({ cache: {} }), undefined);
  await yieldToPage();
  return basics;
}

function engine(): Engine {
  return {
    isBrave: 'brave' in navigator,
    isGecko: attempt(isGecko, false),
    isWebKit: attempt(isWebKit, false),
    isSamsung: attempt(() => isChromium() && isSamsungInternet(), false),
  };
}
