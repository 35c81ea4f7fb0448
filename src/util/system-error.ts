import { getSystemErrorName } from 'node:util';

/**
 * Returns the code of an error as a name, such as `ENOENT` or `ERR_PARSE_ARGS_UNKNOWN_OPTION`. LMDB reports an errno number; the number is converted
 * to Node's name of the error, such as `ENOSPC`.
 * @returns undefined where the error has no code, or a code of another type
 */
export function readErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  return typeof code === 'number' && Number.isInteger(code) && code > 0 ? findErrnoName(code) : undefined;
}

function findErrnoName(errno: number): string | undefined {
  const name = getSystemErrorName(-errno);
  return name.startsWith('E') ? name : undefined;
}

/** Whether an error comes from LMDB. The code of an LMDB error is a number: an errno, or a number that LMDB defines. */
export function isStoreError(error: unknown): boolean {
  return typeof (error as { readonly code?: unknown } | null | undefined)?.code === 'number';
}

/** Descriptions by error code, for errors of files and folders. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  // LMDB reports EIO for a short write.
  EIO: 'the disk is full or faulty (input/output error)',
  EFBIG: 'the file would exceed its size limit',
  EMFILE: 'too many open files: raise the limit (ulimit -n, LimitNOFILE)',
  ENFILE: 'too many open files on this machine',
  Z_BUF_ERROR: 'its compressed data is truncated',
  Z_DATA_ERROR: 'its compressed data is damaged',
};

/** Whether an error of the system or of LMDB may mean that space is lacking. LMDB reports EIO for a short write. */
export function isSpaceError(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG'].includes(readErrorCode(error) ?? '');
}

/** Describes a system error in a few words. For an uncommon code, returns the error's own message. */
export function describeSystemError(error: unknown): string {
  const code = readErrorCode(error);
  return (
    (code === undefined ? undefined : WORDS[code]) ?? (error instanceof Error ? error.message : String(error))
  );
}
