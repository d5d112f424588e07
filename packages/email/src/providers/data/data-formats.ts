/** How a file of hashes is written. */
export const DATA_FORMATS = ['hashes', 'csv', 'ndjson', 'ranges'] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];
