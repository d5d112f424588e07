import { findChromium } from './chromium.ts';

/** Fails the whole run with one message, before a database is started, if this machine has no Chromium. */
export default function setup(): void {
  findChromium();
}
