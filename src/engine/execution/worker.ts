/** A thread that executes one job after another; see `execution-pool`. */
import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { ChainError } from '../../chain/errors.ts';
import { openChainReader } from '../../store/chain-reader.ts';
import { Simulator } from '../simulation/simulator.ts';
import { executeJob } from './execute-job.ts';
import type { Job, JobOutcome, Ready } from './job.ts';

if (parentPort === null) throw new Error('this module runs as a worker thread');
const port = parentPort;
const READY: Ready = { ready: true, systemThreadId: findSystemThreadId() };
const simulators = new Map<string, Simulator>();

/** On Linux the link reads `<process>/task/<thread>`. */
function findSystemThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return undefined;
  }
}

function simulatorOf(store: string): Simulator {
  let simulator = simulators.get(store);
  if (simulator === undefined) {
    simulator = new Simulator(openChainReader(store));
    simulators.set(store, simulator);
    port.postMessage(READY);
  }
  return simulator;
}

function execute(job: Job): JobOutcome {
  try {
    const execution = executeJob(simulatorOf(job.store), job);
    while (true) {
      const { done, value } = execution.next();
      if (done) return { result: value };
    }
  } catch (error) {
    if (!(error instanceof ChainError)) return { fault: String((error as Error)?.stack ?? error) };
    const { kind: errorKind, message, data } = error;
    return { error: { kind: errorKind, message, ...(data !== undefined && { data }) } };
  }
}

port.on('message', (job: Job) => {
  port.postMessage(execute(job));
});
port.postMessage(READY);
