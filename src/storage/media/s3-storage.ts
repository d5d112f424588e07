import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { S3Driver } from 'flydrive/drivers/s3';
import { toStoredFiles } from './listed-files.ts';
import type { MediaStorage } from './media-storage.ts';

export type S3Settings = {
  readonly bucket: string;
  readonly region: string;
  /** Of another service than Amazon's. */
  readonly endpoint: string | undefined;
  /** Credentials of the machine (role, profile, environment) if undefined. */
  readonly credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** The bucket as the beginning of the path, not of the host's name. */
  readonly forcePathStyle: boolean;
};

const CONNECT_MS = 5_000;
const ANSWER_MS = 30_000;

/** Files in a bucket of S3 or of a compatible service. */
export function createS3Storage(settings: S3Settings): MediaStorage {
  const { bucket, region, endpoint, credentials, forcePathStyle } = settings;
  const client = new S3Client({
    region,
    endpoint,
    credentials,
    forcePathStyle,
    // Compatible services reject checksums that the operation does not require.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
  });
  const driver = new S3Driver({ client, bucket, visibility: 'private', supportsACL: false });
  const get = (key: string, start: number, end: number, version?: string) =>
    client.send(
      new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        Range: `bytes=${start}-${end - 1}`,
        IfMatch: version,
      }),
    );

  return {
    put: (key, parts, length) =>
      driver.put(key, Buffer.concat([...parts], length), { contentType: 'application/octet-stream' }),
    async open(key, headBytes) {
      const first = await orNull(get(key, 0, headBytes));
      if (!first) return null;
      return {
        size: sizeOf(first),
        head: Buffer.from(await first.Body!.transformToByteArray()),
        async *read(start, end) {
          const part = await get(key, start, end, first.ETag);
          yield* part.Body as AsyncIterable<Uint8Array>;
        },
        close: async () => {},
      };
    },
    delete: (key) => driver.delete(key),
    async *list(folder) {
      let paginationToken: string | undefined;
      do {
        const page = await driver.listAll(`${folder}/`, { recursive: true, paginationToken });
        yield toStoredFiles(page.objects);
        paginationToken = page.paginationToken;
      } while (paginationToken !== undefined);
    },
    close: () => client.destroy(),
  };
}

async function orNull(answer: Promise<GetObjectCommandOutput>): Promise<GetObjectCommandOutput | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
    throw error;
  }
}

/** Size of the whole file. A partial response has it after the slash. */
function sizeOf({ ContentRange, ContentLength }: GetObjectCommandOutput): number {
  return Number(ContentRange?.split('/')[1] ?? ContentLength);
}
