import { constants, zstdCompressSync } from 'node:zlib';
import {
  type BordersBody,
  type BordersHeader,
  DEGREES_PER_STEP,
  FORMAT_VERSION,
} from '@vouchgraph/signals/internals/geo/borders-format';

/** Writes the file; the same content gives the same bytes. */
export function encodeBorders(
  header: Omit<BordersHeader, 'format' | 'formatVersion'>,
  body: BordersBody,
): Buffer {
  const full: BordersHeader = { format: 'vouchgraph-borders', formatVersion: FORMAT_VERSION, ...header };
  const compressed = zstdCompressSync(JSON.stringify(body), {
    params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  return Buffer.concat([Buffer.from(`${JSON.stringify(full)}\n`), compressed]);
}

/** The differences of a line of the file. */
export function encodeLine(line: readonly (readonly [number, number])[]): number[] {
  let [east, north] = [0, 0];
  return line.flatMap(([longitude, latitude]) => {
    const [column, row] = [Math.round(longitude / DEGREES_PER_STEP), Math.round(latitude / DEGREES_PER_STEP)];
    const differences = [column - east, row - north];
    [east, north] = [column, row];
    return differences;
  });
}
