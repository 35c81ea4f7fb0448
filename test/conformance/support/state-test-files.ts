/** Selection of files in a set of state tests, and the report of each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { runPost } from './run-state-test.ts';
import type { StateTestFileJson } from './state-test-json.ts';

/** Selected files and posts; all of them by default. */
export type Selection = {
  /** Only posts of this fork, in the files' spelling. */
  readonly fork?: string;
  /** Only tests with this in their file or name. */
  readonly match?: string;
  readonly wantsExplanation?: boolean;
};

export type FailedPost = {
  readonly file: string;
  readonly test: string;
  readonly fork: string;
  /** Position in the fork's list of posts. */
  readonly index: number;
  readonly differences: readonly string[];
  readonly explanation: readonly string[];
};

export type FileReport = {
  readonly file: string;
  readonly posts: number;
  readonly failures: readonly FailedPost[];
  /** Reason why nothing in the file could be run. */
  readonly skipped?: string;
};

/** Beginning of the git LFS pointer that replaces a large file which was not fetched with its repository. */
const POINTER = 'version https://git-lfs.github.com/spec/';

/** Names of all test files below `root`, relative to it, with `/`, in alphabetical order. */
export function listStateTestFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replaceAll(sep, '/'))
    .sort();
}

/** Every `count`-th name, beginning with the one at `start`: the same ones on every machine. */
export function takeEvery(names: readonly string[], count: number, start: number): readonly string[] {
  return names.filter((_, position) => position % count === start);
}

/** Runs the selected posts of one file. */
export async function runStateTestFile(
  root: string,
  file: string,
  { fork: onlyFork, match, wantsExplanation = false }: Selection,
): Promise<FileReport> {
  const text = readFileSync(join(root, file), 'utf8');
  if (text.startsWith(POINTER)) {
    return {
      file,
      posts: 0,
      failures: [],
      skipped: 'it holds a pointer to a file that is not there (git LFS)',
    };
  }
  const failures: FailedPost[] = [];
  let posts = 0;
  for (const [name, test] of Object.entries(JSON.parse(text) as StateTestFileJson)) {
    if (match !== undefined && !file.includes(match) && !name.includes(match)) continue;
    for (const [fork, list] of Object.entries(test.post)) {
      if (onlyFork !== undefined && fork !== onlyFork) continue;
      for (const [index, post] of list.entries()) {
        posts++;
        const verdict = await runPost(test, fork, post, wantsExplanation).catch((error: unknown) => ({
          differences: [`threw ${(error as Error).stack ?? error}`],
          explanation: [],
        }));
        if (verdict.differences.length > 0) failures.push({ file, test: name, fork, index, ...verdict });
      }
    }
  }
  return { file, posts, failures };
}
