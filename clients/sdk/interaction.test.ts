import { describe, expect, test } from 'vitest';
import { createInteraction } from './interaction.ts';

describe('interaction facts', () => {
  test('contain zero counts and no rhythm before the first event', () => {
    const { bot, checks } = createInteraction(0).facts();
    expect(bot).toEqual({
      mouse_num_events: 0,
      click_num_events: 0,
      keyboard_num_events: 0,
      touch_num_events: 0,
      clipboard_num_events: 0,
    });
    expect(checks).toMatchObject({ form_completed: false, key_interval_count: 0, filled_fields: 0 });
    expect(checks?.first_event_ms).toBeUndefined();
    expect(checks?.key_interval_mean_ms).toBeUndefined();
  });

  test('contain counts by kind of trusted events and the time of the first one', () => {
    const interaction = createInteraction(1000);
    interaction.seen('mouse', true, 1250.4);
    interaction.seen('mouse', true, 1300);
    interaction.seen('click', true, 1400);
    const { bot, checks } = interaction.facts();
    expect(bot).toMatchObject({ mouse_num_events: 2, click_num_events: 1 });
    expect(checks).toMatchObject({ first_event_ms: 250, untrusted_events: 0 });
  });

  test('contain a separate count of untrusted events', () => {
    const interaction = createInteraction(0);
    interaction.seen('click', false, 10);
    const { bot, checks } = interaction.facts();
    expect(bot?.click_num_events).toBe(0);
    expect(checks?.untrusted_events).toBe(1);
    expect(checks?.first_event_ms).toBeUndefined();
  });

  test('contain the rhythm of the keys without long pauses', () => {
    const interaction = createInteraction(0);
    for (const atMs of [0, 100, 300, 9000, 9100]) interaction.keyPressed(atMs);
    expect(interaction.facts().checks).toMatchObject({
      key_interval_count: 3,
      key_interval_mean_ms: 133.3,
      key_interval_deviation_ms: 47.1,
    });
  });

  test('do not count a field as pasted when a script dispatched the paste', () => {
    const interaction = createInteraction(0);
    interaction.fieldChanged({}, 'insertFromPaste', false);
    expect(interaction.facts().checks).toMatchObject({ pasted_fields: 0, filled_fields: 1 });
  });

  test('keep form_completed after later events', () => {
    const interaction = createInteraction(0);
    interaction.formSent();
    interaction.seen('click', true, 5);
    expect(interaction.facts().checks?.form_completed).toBe(true);
  });
});
