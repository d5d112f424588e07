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

/** What is found elsewhere and belongs to the device too. */
export type Findings = {
  audio: Promise<AudioSums>;
  canvas: Promise<CanvasRenders | undefined>;
  fonts: Promise<string[] | undefined>;
  hardware: Promise<HardwareHints>;
};

/** The components of the device, its graphics card, and what BotD looks at. */
export async function fingerprintFacts(findings: Findings): Promise<Facts> {
  const botd = collectBotd(BOTD_SOURCES);
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

/** BotD's own look at WebGL would make a second context, which is slow, to read what the first has shown. */
const BOTD_SOURCES = (({ webGL: _, ...others }) => others)(botdSources);

/** Those that are read in no time. Fonts, canvas and audio are looked at by this script, with less work. */
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

/** A context takes long to make: the page gets to run before and after. What it can do follows from its name. */
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
