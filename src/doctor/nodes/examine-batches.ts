import type { BatchLimit } from './examination.ts';
import type { NodeProbe, ProbeOutcome } from './node-probe.ts';

const SIZES: readonly number[] = [1, 10, 100, 1_000];
const CALL = { method: 'eth_chainId', params: '[]' };

/** Sends larger and larger batches until one is not answered completely. */
export async function examineBatches(requests: NodeProbe): Promise<BatchLimit> {
  let answered = 0;
  for (const size of SIZES) {
    const outcomes = await requests.sendBatch(new Array(size).fill(CALL));
    const failure = findFailure(outcomes);
    if (failure !== undefined) return { answered, reason: failure };
    answered = size;
  }
  return { answered };
}

function findFailure(outcomes: readonly ProbeOutcome[] | ProbeOutcome): string | undefined {
  const first = [outcomes].flat().find(({ kind }) => kind !== 'result');
  return first === undefined || first.kind === 'result' ? undefined : first.reason;
}
