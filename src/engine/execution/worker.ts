/** A thread that executes one job after another; see `execution-pool`. */
import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { ChainError } from '../../chain/errors.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { openChainReader } from '../../store/chain-reader.ts';
import { estimateGas } from '../simulation/estimate-gas.ts';
import { executeCall } from '../simulation/execute-call.ts';
import { Simulator } from '../simulation/simulator.ts';
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

async function execute({ kind, store, request, gasLimit }: Job): Promise<JobOutcome> {
  try {
    const simulator = simulatorOf(store);
    const result =
      kind === 'call'
        ? bytesToHex(await executeCall(simulator, request, gasLimit))
        : encodeQuantity(await estimateGas(simulator, request, gasLimit));
    return { result };
  } catch (error) {
    if (!(error instanceof ChainError)) return { fault: String((error as Error)?.stack ?? error) };
    const { kind: errorKind, message, data } = error;
    return { error: { kind: errorKind, message, ...(data !== undefined && { data }) } };
  }
}

port.on('message', (job: Job) => {
  void execute(job).then((outcome) => port.postMessage(outcome));
});
port.postMessage(READY);
