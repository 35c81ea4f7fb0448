import { setTimeout as sleep } from 'node:timers/promises';
import type { Lane } from '../../operations/load/plan.ts';
import { requestText } from '../stage/ask.ts';
import type { Stage } from '../stage/stage.ts';
import { readVitals, type Vitals } from '../stage/vitals.ts';

const POLL_MS = 50;
/** Maximum time to wait, longer than any required recovery. */
const PATIENCE_MS = 60_000;
const CALL_MS = 5_000;
/** Allowance for threads of heavy calls and connections to nodes that were added meanwhile. */
const MORE_DESCRIPTORS = 72;

export type Recovery = {
  readonly ms: number;
  /** Reason why the service had not recovered at the end of the wait. */
  readonly lack: string | undefined;
};

/** Waits until resources used by an abuse are released, and the neighbour's calls, a heavy one among them, have the expected answers. */
export async function recover(stage: Stage, lanes: readonly Lane[], before: Vitals): Promise<Recovery> {
  const startedAt = performance.now();
  let lack: string | undefined = 'not looked at';
  while (performance.now() - startedAt < PATIENCE_MS) {
    try {
      lack = findLack(await readVitals(stage.program), before) ?? (await findWrongAnswer(stage, lanes));
    } catch (error) {
      lack = `no answer: ${(error as Error).message}`;
    }
    if (lack === undefined) break;
    await sleep(POLL_MS);
  }
  return { ms: performance.now() - startedAt, lack };
}

function findLack(now: Vitals, before: Vitals): string | undefined {
  for (const [name, value] of Object.entries(now)) {
    const allowed = (before[name] ?? 0) + (name === 'descriptors' ? MORE_DESCRIPTORS : 0);
    if (!(value <= allowed)) return `${name} ${value}, before ${before[name]}`;
  }
  return undefined;
}

async function findWrongAnswer(stage: Stage, lanes: readonly Lane[]): Promise<string | undefined> {
  for (const { host = '', key, requests = [] } of lanes) {
    for (const { method, params, result } of requests) {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const answer = await requestText(stage, { text, host, key, timeLimit: CALL_MS });
      if (answer.text !== `{"jsonrpc":"2.0","id":1,"result":${result}}`)
        return `${method}: ${answer.text.slice(0, 120)}`;
    }
  }
  return undefined;
}
