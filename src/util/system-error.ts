import { getSystemErrorName } from 'node:util';

/**
 * The code of an error as a name: `ENOENT`, `ERR_PARSE_ARGS_UNKNOWN_OPTION`. LMDB gives a number of errno, which becomes the name that
 * node has for it (`ENOSPC`). @returns undefined where there is no code, or one of another type
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

/** Whether LMDB failed, which gives errno (or a number of its own) as the code. */
export function isStoreError(error: unknown): boolean {
  return typeof (error as { readonly code?: unknown } | null | undefined)?.code === 'number';
}

/** Codes of files and folders, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  // LMDB's name for a write that ended short.
  EIO: 'the disk is full or faulty (input/output error)',
  EFBIG: 'the file would exceed its size limit',
  EMFILE: 'too many open files: raise the limit (ulimit -n, LimitNOFILE)',
  ENFILE: 'too many open files on this machine',
  Z_BUF_ERROR: 'ends inside its packed data',
  Z_DATA_ERROR: 'its packed data is damaged',
};

/** Whether an error of the system, or of LMDB, may mean that there is no room; LMDB gives EIO for a write that ended short. */
export function isSpaceError(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG'].includes(readErrorCode(error) ?? '');
}

/** What a system error means, in a few words; the error's own message where its code is not a common one. */
export function describeSystemError(error: unknown): string {
  const code = readErrorCode(error);
  return (
    (code === undefined ? undefined : WORDS[code]) ?? (error instanceof Error ? error.message : String(error))
  );
}
