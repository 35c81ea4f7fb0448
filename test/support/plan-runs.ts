/** Folders whose files each run in one process: the files take less time than a process takes to start, or load the same large packages. */
const TOGETHER: readonly string[] = [
  'access',
  'cache',
  'chain',
  'chains/embedded',
  'chains/local-execution/remote',
  'chains/upstream',
  'cli',
  'config',
  'doctor',
  'feed',
  'fuzz',
  'gateway',
  'methods',
  'observe',
  'packages/ethereum',
  'packages/evm',
  'packages/proofs',
  'pool',
  'rollup',
  'rpc',
  'scripts',
  'server',
  'service',
  'shared-store',
  'util',
];

/** Slowest runs, from `--times`; they start first, so that none runs alone at the end. */
export const LONGEST: readonly string[] = [
  'cli',
  'service',
  'chains/embedded',
  'packages/proofs',
  'chains/local-execution/remote',
  'chains/upstream',
  'pool',
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

/** Test files that share one process. */
export type Run = {
  /** Name of the folder, or of the file where it runs alone. */
  readonly name: string;
  readonly files: readonly string[];
};

/**
 * Groups test files into runs; the slowest known ones come first, then those with most files.
 * @param sources paths relative to the folder of tests, `cli/serve.test.ts`
 * @param texts a path must contain one of them; without texts all files run
 */
export function planRuns(sources: readonly string[], texts: readonly string[] = []): Run[] {
  const runs = new Map<string, string[]>();
  for (const source of [...sources].sort()) {
    if (!source.endsWith('.test.ts')) continue;
    if (texts.length > 0 && !texts.some((text) => source.includes(text))) continue;
    const name = TOGETHER.find((folder) => source.startsWith(`${folder}/`)) ?? source;
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
