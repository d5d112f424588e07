import { sources as botdSources, collect as collectBotd } from '@fingerprintjs/botd';
import { isChromium, isSamsungInternet, isWebKit, loadSources, sources } from '@fingerprintjs/fingerprintjs';
import { attempt } from '../attempt.ts';
import type { Facts } from '../facts.ts';
import type { AudioSums } from './audio.ts';
import { botdValues } from './botd-values.ts';
import type { HardwareHints } from './client-hints.ts';
import { deviceComponents, type RawComponents } from './device-components.ts';

/*
 * The sources of FingerprintJS and BotD are run here one by one. Their `load` is never imported: it alone would send
 * statistics to their makers' host, and is not in the bundle.
 */

/** In this order: those that wait for something first, and WebGL, which slows the others down, last. */
const DEVICE_SOURCES = {
  fonts: sources.fonts,
  canvas: sources.canvas,
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
  architecture: sources.architecture,
  webGlBasics: sources.webGlBasics,
  webGlExtensions: sources.webGlExtensions,
};

/** What the graphics card calls itself. */
type Graphics = { vendor?: string; vendorUnmasked?: string; renderer?: string; rendererUnmasked?: string };

/** The components of the device, its graphics card, and what BotD looks at. */
export async function fingerprintFacts(parts: {
  audio: Promise<AudioSums>;
  hardware: Promise<HardwareHints>;
}): Promise<Facts> {
  const botd = collectBotd(BOTD_SOURCES);
  const { architecture: cpuArchitecture, ...raw } = await deviceValues();
  const graphics = raw.webGlBasics as Graphics | undefined;
  const named = { ...raw, cpuArchitecture, ...(await parts.hardware), audio: await parts.audio };
  const gpuVendor = graphics?.vendorUnmasked || graphics?.vendor;
  const gpuRenderer = graphics?.rendererUnmasked || graphics?.renderer;
  return {
    device: { gpu: gpuRenderer, components: deviceComponents(named, noise()) },
    checks: {
      gpu_vendor: gpuVendor,
      gpu_renderer: gpuRenderer,
      botd: botdValues(await botd, graphics),
    },
  };
}

/** BotD's own look at WebGL would make a second context, which is slow, to read what the first has shown. */
const BOTD_SOURCES = (({ webGL: _, ...others }) => others)(botdSources);

async function deviceValues(): Promise<RawComponents> {
  const components = await loadSources(DEVICE_SOURCES, { cache: {} }, [])();
  return Object.fromEntries(
    Object.entries(components).map(([name, component]) => [
      name,
      'value' in component ? component.value : undefined,
    ]),
  );
}

function noise() {
  return {
    isBrave: 'brave' in navigator,
    hasNoisyAudio: attempt(() => isWebKit() || (isChromium() && isSamsungInternet()), true),
  };
}
