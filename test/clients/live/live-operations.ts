/** Operations of clients on a chain that changes; their results are checked against the node itself. */
import type { Anvil } from '../../support/anvil.ts';

/** Operations in the order of the documentation's table. */
export const LIVE_OPERATIONS = [
  'new blocks',
  'logs of a contract',
  'pending transactions',
  'block filter',
  'log filter',
  'pending filter',
  'send and wait',
  'send with receipt',
  'receipts of blocks',
] as const;
export type LiveOperation = (typeof LIVE_OPERATIONS)[number];

/** Event of the contract. */
export const EVENT = 'Logged(uint256)';
/** Number of items that a client collects before it stops. */
export const COLLECTED = 3;
const COLLECT_MS = 30_000;

/** Subject of the operations. */
export type LiveSubject = {
  readonly http: string;
  readonly webSocket: string;
  /** Contract that logs in every block. */
  readonly contract: string;
  readonly topic: string;
  /** Key of an account that has ether and that no other client uses. */
  readonly key: `0x${string}`;
  readonly to: string;
  readonly count: number;
};

/**
 * Results of a client by operation, separated by spaces: numbers of blocks, `block/logIndex` of logs, hashes of transactions. An operation
 * that failed has an error instead; one that the client lacks is absent.
 */
export type LiveFindings = { readonly [K in LiveOperation]?: string | { readonly error: string } };

export async function runLive(
  operations: { readonly [K in LiveOperation]?: () => Promise<readonly unknown[]> },
): Promise<LiveFindings> {
  const findings: Record<string, string | { readonly error: string }> = {};
  for (const [name, run] of Object.entries(operations)) {
    try {
      findings[name] = (await run()).join(' ').toLowerCase();
    } catch (error) {
      findings[name] = { error: describeError(error) };
    }
  }
  return findings;
}

function describeError(error: unknown): string {
  const { message } = error as Error;
  return (message ?? JSON.stringify(error)).split('\n')[0]?.slice(0, 300) ?? '';
}

/** Collects `COLLECTED` items, or fails after a time limit. @param start gets functions for an item and for a failure; @returns how to stop */
export async function collect(
  start: (push: (item: unknown) => void, fail: (error: unknown) => void) => Promise<() => unknown>,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let stop: (() => unknown) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const late = (): void => reject(new Error(`${items.length} of ${COLLECTED} came in ${COLLECT_MS} ms`));
      timer = setTimeout(late, COLLECT_MS);
      const push = (item: unknown): void => {
        items.push(item);
        if (items.length >= COLLECTED) resolve();
      };
      start(push, reject).then((end) => {
        stop = end;
      }, reject);
    });
  } finally {
    clearTimeout(timer);
    await stop?.();
  }
  return items.slice(0, COLLECTED);
}

/** Collects the results of repeated polls. */
export function collectPolls(poll: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  return collect(async (push, fail) => {
    let isPolling = false;
    const timer = setInterval(async () => {
      if (isPolling) return;
      isPolling = true;
      try {
        for (const item of await poll()) push(item);
      } catch (error) {
        fail(error);
      }
      isPolling = false;
    }, 100);
    return () => clearInterval(timer);
  });
}

/** Checks a finding against the node. @returns the fault, or undefined */
export async function judgeLive(
  operation: LiveOperation,
  finding: string,
  anvil: Anvil,
  { contract, topic }: LiveSubject,
): Promise<string | undefined> {
  const items = finding.split(' ');
  const isSend = operation === 'send and wait' || operation === 'send with receipt';
  const least = isSend ? 1 : COLLECTED;
  if (items.length < least) return `${items.length} found`;
  switch (operation) {
    case 'new blocks':
      return isStep(items.map(Number)) ? undefined : `blocks ${finding}`;
    case 'block filter': {
      const blocks = await Promise.all(items.map((hash) => anvil.request('eth_getBlockByHash', hash, false)));
      const numbers = blocks.map((block) => Number((block as { number?: string } | null)?.number));
      return isStep(numbers) ? undefined : `blocks ${numbers.join(' ')}`;
    }
    case 'logs of a contract':
    case 'log filter': {
      const logs = (await anvil.request('eth_getLogs', {
        address: contract,
        topics: [topic],
        fromBlock: '0x0',
      })) as readonly { readonly blockNumber: string; readonly logIndex: string }[];
      const all = logs.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}/${Number(logIndex)}`);
      const first = all.indexOf(items[0] as string);
      const isRun = first >= 0 && items.every((item, at) => item === all[first + at]);
      return isRun ? undefined : `logs ${finding}, not a run of ${all.slice(-10).join(' ')}`;
    }
    default: {
      const found = await Promise.all(items.map((hash) => anvil.request('eth_getTransactionByHash', hash)));
      if (found.includes(null)) return `transactions ${finding}`;
      if (operation === 'receipts of blocks') return checkReceipts(found as readonly Mined[], finding);
      if (!isSend) return undefined;
      const receipt = await anvil.request('eth_getTransactionReceipt', items[0]);
      return (receipt as { status?: string } | null)?.status === '0x1' ? undefined : 'no receipt';
    }
  }
}

type Mined = { readonly blockNumber: string | null; readonly transactionIndex: string | null };

/** Checks that receipts are in the order of their blocks; one sender has one transaction per block. */
function checkReceipts(found: readonly Mined[], finding: string): string | undefined {
  const numbers = found.map(({ blockNumber }) => Number(blockNumber));
  const isInOrder = numbers.every(
    (number, at) => number > 0 && (at === 0 || number >= (numbers[at - 1] ?? 0)),
  );
  return isInOrder ? undefined : `receipts ${finding} of blocks ${numbers.join(' ')}`;
}

function isStep(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1);
}
