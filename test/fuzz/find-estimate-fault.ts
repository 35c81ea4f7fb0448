import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import type { Evm } from '../../packages/evm/interpreter/evm.ts';
import type { StateReader } from '../../packages/evm/interpreter/host.ts';
import { GasSearch } from '../../packages/evm/transition/gas-search.ts';
import type { TransactionResult } from '../../packages/evm/transition/running-transaction.ts';
import { TransactionError } from '../../packages/evm/transition/transaction-error.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallObject } from '../../src/chain/requests.ts';
import { estimateGas } from '../../src/chains/embedded/simulation/estimate-gas.ts';
import { advance, type Execution } from '../../src/chains/embedded/simulation/execution.ts';
import { Simulation } from '../../src/chains/embedded/simulation/simulator.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { blockRulesOf, environmentOf } from './subject.ts';

const UPPER_BOUND = 1_500_000n;

const quantity = (value: bigint): string => `0x${value.toString(16)}`;

function callOf({ transaction: tx, sender }: FuzzCase): CallObject {
  return {
    from: sender,
    ...(tx.to !== undefined && { to: bytesToHex(tx.to) }),
    value: quantity(tx.value),
    data: bytesToHex(tx.data),
    ...(tx.type > 0 && {
      accessList: tx.accessList.map(({ address, storageKeys }) => ({
        address: bytesToHex(address),
        storageKeys: storageKeys.map(bytesToHex),
      })),
    }),
  };
}

function finish<T>(execution: Execution<T>): T {
  while (true) {
    const step = execution.next();
    if (step.done === true) return step.value;
  }
}

/** Runs a simulation; undefined where the call fails before execution. */
function run(simulation: Simulation, gas: bigint): TransactionResult | undefined {
  try {
    const running = simulation.start(gas);
    while (advance(running) !== undefined);
    return running.finish();
  } catch (error) {
    if (error instanceof TransactionError) return undefined;
    throw error;
  }
}

const succeeds = (simulation: Simulation, gas: bigint): boolean => run(simulation, gas)?.status === 'success';

/** Runs geth's search, executing each step. */
function searchByRuns(simulation: Simulation, result: TransactionResult, enough: bigint): bigint {
  const search = new GasSearch(result, enough);
  for (let gas = search.candidate; gas !== undefined; gas = search.candidate) {
    search.note(succeeds(simulation, gas));
  }
  return search.high;
}

const isWithinTolerance = (a: bigint, b: bigint): boolean => {
  const [least, most] = a < b ? [a, b] : [b, a];
  return (most - least) * 1000n <= most * 15n;
};

/** A call that depends on its gas may have several search results: a failing gas limit lies close below each. */
function hasTooLittleBelow(simulation: Simulation, estimate: bigint): boolean {
  const steps = 32n;
  for (let step = 1n; step <= steps; step++) {
    if (!succeeds(simulation, estimate - (estimate * 15n * step) / (1000n * steps))) return true;
  }
  return false;
}

/**
 * Checks that the estimate for a case's call is sufficient, and within 1.5 % of the result of geth's search.
 * @param evm attached to `state`, the case's state; nothing is open
 * @returns description of the fault
 */
export function findEstimateFault(fuzzCase: FuzzCase, evm: Evm, state: StateReader): string | undefined {
  const { revision } = fuzzCase;
  const block = environmentOf(fuzzCase.block);
  const rules = blockRulesOf(revision);
  evm.enter(block, rules.chainId, rules.revision);
  evm.open();
  try {
    const freeBlock = block.baseFeePerGas === undefined ? block : { ...block, baseFeePerGas: 0n };
    const simulation = new Simulation(
      callOf(fuzzCase),
      { evm, state, bytes: evm.memoryPeak },
      {
        rules,
        overrideRules: rules,
        block: { ...block, gasLimit: UPPER_BOUND },
        freeBlock: { ...freeBlock, gasLimit: UPPER_BOUND },
        hasBaseFee: block.baseFeePerGas !== undefined,
        boundRules: rules.revision,
      },
      'estimated',
      { used: 0 },
    );
    const bound = UPPER_BOUND;
    const full = run(simulation, bound);
    if (full?.status !== 'success') return undefined;
    let estimate: bigint;
    try {
      estimate = finish(estimateGas(simulation, bound));
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return `no estimate: ${error.message}`;
    }
    if (!succeeds(simulation, estimate)) return `estimate: ${estimate} is not enough`;
    const searched = searchByRuns(simulation, full, bound);
    if (isWithinTolerance(estimate, searched) || hasTooLittleBelow(simulation, estimate)) return undefined;
    const isSeen = full.gasNeeded === undefined ? 'is observed' : 'is not observed';
    return `estimate: ${estimate}, by search ${searched}; gas ${isSeen}`;
  } finally {
    evm.abandon();
  }
}
