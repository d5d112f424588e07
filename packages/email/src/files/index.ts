export { COLUMN_ROLES, type ColumnRole } from './column-names.ts';
export { type ColumnChoice, type Columns, detectColumns, optionOf } from './detect-columns.ts';
export { parseDelimiter } from './detect-dialect.ts';
export { importCutOff, importDiffers, importTooLarge } from './errors.ts';
export { type ImportRow, importRowOf } from './import-row.ts';
export {
  afterSameHeader,
  countBytes,
  type ImportSource,
  inBatches,
  readableFields,
  takeSample,
  withoutFirst,
} from './import-rows.ts';
export { type CsvRow, openCsv, ROW_PROBLEMS, type RowProblem } from './read-rows.ts';
export { BOM, resultHeader, resultLine } from './result-file.ts';
export { parseEncoding, type TextEncoding } from './text-encoding.ts';
