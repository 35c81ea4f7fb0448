import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Delay between the last change and reading, ms. The delay exists because a file is written in pieces, and related files are written one after the
 * other.
 */
const COMPLETE_MS = 200;
/** Poll interval, ms. Polling is for file systems without change events (network drives, some container volumes), and for links in the middle of a path. */
const POLL_MS = 10_000;

/** Reports changes of files, whether they are written in place, replaced, or relinked. */
export class FileWatch {
  readonly #files: readonly string[];
  readonly #onChange: () => void;
  readonly #watchers: FSWatcher[] = [];
  readonly #poll: NodeJS.Timeout;
  #settling: NodeJS.Timeout | undefined;
  #stamp: string;

  constructor(files: readonly string[], onChange: () => void) {
    this.#files = files;
    this.#onChange = onChange;
    this.#stamp = stampFiles(files);
    this.#poll = setInterval(() => this.#look(), POLL_MS);
    this.#poll.unref();
    for (const folder of new Set(files.map((file) => dirname(file)))) this.#watchFolder(folder);
  }

  /** Declares that the caller has read the files in their current state. */
  acknowledge(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.#stamp = stampFiles(this.#files);
  }

  close(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#settling);
    for (const watcher of this.#watchers) watcher.close();
  }

  /** Watches the folder instead of the file. A watch of a file does not report that the file, or a link to it, was replaced. */
  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#complete());
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch {
      // The system has no watches left, or the file system does not support them. In both cases, polling notices the changes.
    }
  }

  #complete(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#look(), COMPLETE_MS);
    this.#settling.unref();
  }

  #look(): void {
    const stamp = stampFiles(this.#files);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#onChange();
  }
}

/** Returns a stamp that changes whenever one of the files changes. A missing file has a stamp of its own. */
function stampFiles(files: readonly string[]): string {
  return files
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
      return stat === undefined ? 'none' : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
    })
    .join(' ');
}
