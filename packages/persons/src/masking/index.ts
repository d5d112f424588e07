export { type KindOfKey, type MaskKind, maskValue } from './mask-value.ts';
