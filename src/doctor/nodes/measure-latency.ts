import type { NodeProbe } from './node-probe.ts';

const SAMPLES = 5;

/** Median time of one `eth_chainId` on an open connection, milliseconds; undefined when one fails. */
export async function measureLatency(requests: NodeProbe): Promise<number | undefined> {
  const times: number[] = [];
  while (times.length < SAMPLES) {
    const start = performance.now();
    const { kind } = await requests.ask('eth_chainId');
    if (kind !== 'result') return undefined;
    times.push(performance.now() - start);
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] as number;
  return Number(median.toFixed(3));
}
