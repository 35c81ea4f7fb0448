/** Folders of files that take less time than a process takes to start, or load the same large packages: each runs in one process. */
const TOGETHER: ReadonlySet<string> = new Set([
  'access',
  'cache',
  'chain',
  'cli',
  'config',
  'engine',
  'evm',
  'feed',
  'fuzz',
  'gateway',
  'methods',
  'observe',
  'primitives',
  'records',
  'redis',
  'remote',
  'rollup',
  'rpc',
  'scripts',
  'server',
  'store',
  'upstream',
  'util',
  'verification',
]);

/** What takes longest, as `--times` shows it; begun first, so that none of it is left running alone at the end. */
export const LONGEST: readonly string[] = [
  'cli',
  'engine',
  'verification',
  'remote',
  'upstream',
  'conformance/transcripts.test.ts',
  'server',
  'fuzz',
  'geth/equal-to-geth.test.ts',
  'verified/verified.test.ts',
  'geth/genesis-shapes.test.ts',
  'conformance/blockchain-tests.test.ts',
  'abuse/abuse.test.ts',
  'faults/matrix.test.ts',
  'faults/stage.test.ts',
  'faults/networks.test.ts',
  'clients/clients.test.ts',
  'e2e/workers.test.ts',
];

/** Files that one process runs. */
export type Run = {
  /** The folder, or the file where it runs alone. */
  readonly name: string;
  readonly files: readonly string[];
};

/**
 * Which test files run together; what is known to take longest comes first, then what has most files.
 * @param sources paths from the folder of tests, `cli/serve.test.ts`
 * @param texts of which a path must hold one; all are run where there are none
 */
export function planRuns(sources: readonly string[], texts: readonly string[] = []): Run[] {
  const runs = new Map<string, string[]>();
  for (const source of [...sources].sort()) {
    if (!source.endsWith('.test.ts')) continue;
    if (texts.length > 0 && !texts.some((text) => source.includes(text))) continue;
    const [folder = ''] = source.split('/');
    const name = TOGETHER.has(folder) && source.includes('/') ? folder : source;
    const files = runs.get(name);
    if (files === undefined) runs.set(name, [source]);
    else files.push(source);
  }
  return [...runs].map(([name, files]) => ({ name, files })).sort((a, b) => weigh(b) - weigh(a));
}

function weigh({ name, files }: Run): number {
  const place = LONGEST.indexOf(name);
  return place < 0 ? files.length : Number.MAX_SAFE_INTEGER - place;
}
