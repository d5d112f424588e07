import { constants, zstdCompressSync } from 'node:zlib';
import {
  type EducationBody,
  type EducationHeader,
  FORMAT_VERSION,
} from '@vouchgraph/email/internals/education-domains-format';

/** Writes the file; the same content gives the same bytes. */
export function encodeEducationDomains(
  about: Pick<EducationHeader, 'source' | 'sourceVersion' | 'licence' | 'attribution'>,
  body: EducationBody,
): Buffer {
  const header: EducationHeader = {
    format: 'vouchgraph-education-domains',
    formatVersion: FORMAT_VERSION,
    ...about,
    domains: body.domains.length,
    suffixes: body.suffixes.length,
    doubted: body.doubted.length,
  };
  const text = [body.domains, body.suffixes, body.doubted].map((list) => list.join('\n')).join('\n\n');
  const compressed = zstdCompressSync(text, {
    params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), compressed]);
}
