import { describe, expect, test } from 'vitest';
import { createFieldEntries, entryKindOf } from './field-entries.ts';

describe('field entries', () => {
  test('a field with repeated typing counts as one filled field', () => {
    const entries = createFieldEntries();
    const field = {};
    entries.add(field, 'other');
    entries.add(field, 'other');
    expect(entries.counts()).toEqual({ pasted: 0, filled: 1 });
  });

  test('a pasted field becomes a filled field once something is typed into it', () => {
    const entries = createFieldEntries();
    const field = {};
    entries.add(field, 'pasted');
    entries.add(field, 'pasted');
    expect(entries.counts()).toEqual({ pasted: 1, filled: 1 });
    entries.add(field, 'other');
    expect(entries.counts()).toEqual({ pasted: 0, filled: 1 });
    entries.add(field, 'pasted');
    expect(entries.counts()).toEqual({ pasted: 0, filled: 1 });
  });

  test('each field counts separately', () => {
    const entries = createFieldEntries();
    entries.add({}, 'pasted');
    entries.add({}, 'other');
    entries.add({}, 'pasted');
    expect(entries.counts()).toEqual({ pasted: 2, filled: 3 });
  });
});

describe('kind of an input event', () => {
  test('distinguishes pasting from typing', () => {
    expect(entryKindOf('insertFromPaste')).toBe('pasted');
    expect(entryKindOf('insertText')).toBe('other');
    expect(entryKindOf('insertCompositionText')).toBe('other');
  });

  test('is not paste for a value that the browser fills in', () => {
    expect(entryKindOf(undefined)).toBe('other');
    expect(entryKindOf('')).toBe('other');
    expect(entryKindOf('insertReplacementText')).toBe('other');
  });

  test('is unknown for deleting and undoing', () => {
    expect(entryKindOf('deleteContentBackward')).toBeNull();
    expect(entryKindOf('historyUndo')).toBeNull();
  });
});
