/** Worker thread that runs many jobs in alternating slices. `execution-thread.ts` starts it and sends the jobs. */
import { readlinkSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { adoptCore } from '../../../engine/create-evm.ts';
import { EvmPool } from '../simulation/evm-pool.ts';
import type { GasMeter } from '../simulation/gas-meter.ts';
import { StoredChain } from '../simulation/simulated-chain.ts';
import { Simulator } from '../simulation/simulator.ts';
import { ExcerptChain } from '../state/state-excerpt.ts';
import { openChainReader } from '../store/chain-reader.ts';
import { executeJob } from './execute-job.ts';
import { ExecutionMemory } from './execution-memory.ts';
import type { Job, Order, Report, ThreadData } from './job.ts';
import { describeFailure, type FinishedJob, JobRounds } from './job-rounds.ts';
import { NativeSection } from './native-section.ts';

if (parentPort === null) throw new Error('this module runs as a worker thread');
const port = parentPort;
const { core, memoryLimit, memory: memoryOptions, section: shared } = workerData as ThreadData;
const section = new NativeSection(shared);
const memory = new ExecutionMemory(memoryOptions);
const rounds = new JobRounds();
const simulators = new Map<string, Simulator>();
/** Number of pooled EVMs: one more than the number of executions of one owner that may be in progress at the same time. */
const POOLED_EVMS = 8;
const evms = new EvmPool(memoryLimit, POOLED_EVMS);
const meter: GasMeter = { used: 0 };
/** Total duration of the slices since the last report, milliseconds. */
let ms = 0;
let isTurnDue = false;

/** Returns the operating system's id of this thread, from the link target `<process>/task/<thread>`; undefined if the system is not Linux. */
function findSystemThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return undefined;
  }
}

function simulatorOf(store: Job['store']): Simulator {
  if (typeof store !== 'string') return new Simulator(new ExcerptChain(store), memoryLimit, meter, evms);
  let simulator = simulators.get(store);
  if (simulator === undefined) {
    const reader = section.run(() => openChainReader(store));
    simulator = new Simulator(new StoredChain(reader), memoryLimit, meter, evms);
    simulators.set(store, simulator);
  }
  return simulator;
}

function report(message: Report, transferred: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, transferred);
}

function begin(id: number, owner: string, job: Job): void {
  try {
    rounds.add(id, owner, executeJob(simulatorOf(job.store), job, memory.lease(owner)));
  } catch (error) {
    reportEnd({ id, outcome: describeFailure(error), ms: 0 });
  }
}

function reportEnd({ id, outcome, ms: jobMs }: FinishedJob): void {
  const large = 'result' in outcome ? outcome.result : 'error' in outcome ? outcome.error.data : undefined;
  // Large results are transferred, because copying them would take time of the thread that reads requests.
  const transferred = large instanceof Uint8Array ? [large.buffer as ArrayBuffer] : [];
  report({ kind: 'done', id, outcome, jobMs, gas: meter.used, ms }, transferred);
  meter.used = 0;
  ms = 0;
}

/** Runs one slice, and schedules the next one after pending messages. */
function takeSlot(): void {
  const startedAt = performance.now();
  const finished = rounds.runNext();
  ms += performance.now() - startedAt;
  if (finished !== undefined) reportEnd(finished);
  isTurnDue = rounds.size > 0;
  if (isTurnDue) setImmediate(takeSlot);
}

port.on('message', (order: Order) => {
  if (order.kind === 'stop') process.exit();
  if (order.kind === 'run') begin(order.id, order.owner, order.job);
  else {
    const finished = rounds.cancel(order.id);
    if (finished !== undefined) reportEnd(finished);
  }
  if (isTurnDue) return;
  isTurnDue = true;
  setImmediate(takeSlot);
});
adoptCore(core);
report({ kind: 'ready', systemThreadId: findSystemThreadId() });
