/** Kind of an entry into a field, by its input events. */
export type EntryKind = 'pasted' | 'other';

/** Number of fields by kind of entry. Never contains the text. */
export type FieldEntries = {
  add(field: object, kind: EntryKind): void;
  /** Number of fields filled only by pasting, and of all filled fields. */
  counts(): { pasted: number; filled: number };
};

/** Counts fields by identity, so that nothing of a field is read. */
export function createFieldEntries(): FieldEntries {
  // Weak, so that fields of a page that shows many forms are not kept alive; the counts are kept apart.
  const known = new WeakMap<object, EntryKind>();
  let pasted = 0;
  let filled = 0;
  return {
    add(field, kind) {
      const before = known.get(field);
      if (before === 'other' || before === kind) return;
      if (before === undefined) filled += 1;
      pasted += kind === 'pasted' ? 1 : before === 'pasted' ? -1 : 0;
      known.set(field, kind);
    },
    counts: () => ({ pasted, filled }),
  };
}

/**
 * The kind of an input event by its `inputType` (W3C Input Events Level 2). Deleting has no kind. Browsers that fill
 * in a form set no type.
 */
export function entryKindOf(inputType: unknown): EntryKind | null {
  if (typeof inputType !== 'string' || inputType === '') return 'other';
  if (inputType.startsWith('delete') || inputType.startsWith('history')) return null;
  return inputType === 'insertFromPaste' || inputType === 'insertFromPasteAsQuotation' ? 'pasted' : 'other';
}
