import type { Facts } from './facts.ts';
import { createFieldEntries, entryKindOf } from './field-entries.ts';
import { createRunningStatistics } from './running-statistics.ts';

/** Kinds of event that are counted. */
export type EventKind = 'mouse' | 'click' | 'keyboard' | 'touch' | 'clipboard';

/** Counts the person's events on the page. It receives the kind of each event, never the key or the text. */
export type Interaction = {
  /** Counts one event; `atMs` is the time since the page was opened, like Event#timeStamp. */
  seen(kind: EventKind, isTrusted: boolean, atMs: number): void;
  keyPressed(atMs: number): void;
  fieldChanged(field: object, inputType: unknown, isTrusted: boolean): void;
  formSent(): void;
  facts(): Facts;
};

/** A longer pause is thinking, not typing. */
const MAX_KEY_INTERVAL_MS = 2000;

/** `startMs`: start of the counting, on the clock of the events. */
export function createInteraction(startMs: number): Interaction {
  const counts: Record<EventKind, number> = { mouse: 0, click: 0, keyboard: 0, touch: 0, clipboard: 0 };
  const intervals = createRunningStatistics();
  const fields = createFieldEntries();
  let untrusted = 0;
  let firstEventMs: number | undefined;
  let lastKeyMs: number | null = null;
  let isFormSent = false;

  return {
    seen(kind, isTrusted, atMs) {
      if (!isTrusted) {
        untrusted += 1;
        return;
      }
      counts[kind] += 1;
      firstEventMs ??= Math.max(0, Math.round(atMs - startMs));
    },
    keyPressed(atMs) {
      const interval = lastKeyMs === null ? -1 : atMs - lastKeyMs;
      if (interval >= 0 && interval <= MAX_KEY_INTERVAL_MS) intervals.add(interval);
      lastKeyMs = atMs;
    },
    fieldChanged(field, inputType, isTrusted) {
      const kind = entryKindOf(inputType);
      // Password managers dispatch their own events: such a field is filled, but not pasted.
      if (kind) fields.add(field, isTrusted ? kind : 'other');
    },
    formSent() {
      isFormSent = true;
    },
    facts: () => ({
      bot: countsByWireName(counts),
      checks: {
        form_completed: isFormSent,
        first_event_ms: firstEventMs,
        key_interval_count: intervals.count(),
        key_interval_mean_ms: intervals.count() > 0 ? tenths(intervals.mean()) : undefined,
        key_interval_deviation_ms: intervals.count() > 1 ? tenths(intervals.deviation()) : undefined,
        pasted_fields: fields.counts().pasted,
        filled_fields: fields.counts().filled,
        untrusted_events: untrusted,
      },
    }),
  };
}

function countsByWireName(counts: Readonly<Record<EventKind, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).map(([kind, count]) => [`${kind}_num_events`, count] as const),
  );
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
