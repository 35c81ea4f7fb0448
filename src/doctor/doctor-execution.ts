import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryCache } from '../cache/memory-cache.ts';
import { ChainError } from '../chain/errors.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { createLogger } from '../observe/logger.ts';
import type { ChainFigures, ExecutionFigures } from '../observe/sources.ts';
import { EmbeddedChains } from '../service/embedded-chains.ts';
import { openChain } from '../service/open-chain.ts';
import { countOf } from '../util/count-of.ts';
import { RequestScope } from '../util/request-scope.ts';
import { awaitNodes } from './await-nodes.ts';

/** Result of the local execution of a call at the head of a network, and the number of round trips that read the state for it. */
export type ExecutionDiagnosis = {
  readonly isHere: boolean;
  /** Whether a call that cannot be executed locally is rejected; otherwise nodes execute it. */
  readonly isRefused?: boolean;
  readonly roundTrips: number;
  readonly reason?: string;
};

const CACHE = { bytes: 1 << 20, entryBytes: 1 << 18 };
const LIMIT_MS = 20_000;
/** Call that any chain can execute and that needs the proof of one account. */
const CALL = { to: `0x${'0'.repeat(40)}`, data: '0x' };

const REASONS: Readonly<Record<string, string>> = {
  block: 'the head of the network is not known',
  rules:
    'the rules of the chain are not known: nodes do not report them (eth_config), and chain: names no genesis file',
  unproven: 'nodes do not prove the state of the head (eth_getProof)',
};

/** Executes a call at the head with the code of the service. Returns undefined if nodes execute the network's calls. */
export async function tryExecution(
  network: string,
  options: NetworkOptions,
): Promise<ExecutionDiagnosis | undefined> {
  if (options.execution === 'node') return undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'portcullis-doctor-'));
  try {
    return await executeCall(network, options, dataDir);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

async function executeCall(
  network: string,
  options: NetworkOptions,
  dataDir: string,
): Promise<ExecutionDiagnosis> {
  const engine = new EmbeddedChains({ threads: 1, onFault: () => {} });
  const chain = await openChain(
    network,
    { ...options, execution: 'local' },
    { dataDir, engine, cache: createMemoryCache(CACHE), log: createLogger('silent') },
  );
  try {
    await awaitNodes(chain);
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    await chain.execution.call({ call: CALL, block: { kind: 'tag', tag: 'latest' } }, scope);
    return diagnose((chain.describe() as ChainFigures).execution);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return { isHere: false, isRefused: options.verify === 'require', roundTrips: 0, reason: error.message };
  } finally {
    await chain.close();
    await engine.close();
  }
}

function diagnose(figures: ExecutionFigures | undefined): ExecutionDiagnosis {
  if (figures === undefined)
    return { isHere: false, roundTrips: 0, reason: 'rollups of this family do not run the EVM' };
  const { executed, roundTrips, left } = figures;
  if (executed > 0) return { isHere: true, roundTrips };
  const name = Object.keys(left).find((reason) => (left[reason] ?? 0) > 0) ?? '';
  return { isHere: false, roundTrips, reason: REASONS[name] ?? name };
}

/** Formats the diagnosis as one line. */
export function describeExecution({ isHere, isRefused, roundTrips, reason }: ExecutionDiagnosis): string {
  const text = isHere
    ? `can be executed here: nodes proved the state of one at the head in ${countOf(roundTrips, 'round trip')}`
    : `are ${isRefused === true ? 'refused' : 'executed by nodes'}: ${reason ?? 'the reason is not known'}`;
  return `\n  calls ${text}\n`;
}
