export { HIDDEN } from './mask-text.ts';
export { type KindOfKey, type MaskKind, maskValue, type TextKind } from './mask-value.ts';
