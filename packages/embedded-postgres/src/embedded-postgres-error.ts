import { OperatorError } from '@vouchgraph/platform/errors';

/** A start that failed for a reason the operator can act on. The message is always one line. */
export class EmbeddedPostgresError extends OperatorError {
  override readonly name = 'EmbeddedPostgresError';

  constructor(message: string, options?: { cause?: unknown }) {
    super(message.replace(/\s+/g, ' ').trim(), options);
  }
}

const FILE_PROBLEMS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'it is a file, not a folder',
  ENOENT: 'the path cannot be created',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EINVAL: 'the file system or container refuses the change of owner',
};

/** Converts a failed file operation to a line that names the folder; other errors are unchanged. */
export function explainFileError(dataDir: string, error: unknown): unknown {
  if (error instanceof EmbeddedPostgresError) return error;
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const problem = code === undefined ? undefined : FILE_PROBLEMS[code];
  if (problem === undefined || syscall === undefined || syscall.startsWith('spawn')) return error;
  const place = path === undefined || path === dataDir ? '' : ` at ${path}`;
  const user = process.getuid === undefined ? '' : ` by uid ${process.getuid()}`;
  return new EmbeddedPostgresError(
    `DATA_DIR ${dataDir} cannot be written${user}: ${problem} (${code}${place})`,
    { cause: error },
  );
}
