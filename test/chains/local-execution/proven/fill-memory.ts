import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { listForkMembers, parseChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import { BLANK_HEADER, type Header, hashHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { concatBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import { DEFAULT_POOL, ExecutionPool } from '../../../../src/chains/embedded/execution/execution-pool.ts';
import type { StateNodes } from '../../../../src/chains/local-execution/proven/state-nodes.ts';
import {
  createStateCache,
  StateRequests,
} from '../../../../src/chains/local-execution/proven/state-requests.ts';
import { RemoteExecutions } from '../../../../src/chains/local-execution/remote/remote-executions.ts';
import type { RemoteStateSource } from '../../../../src/chains/local-execution/remote/state-source.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { createRecordingLog } from '../../../gateway/recording-log.ts';
import { addressAt, ModelState, slotAt } from './model-state.ts';

/** Returns the slot that the calldata names; the bytes after the program make the code of each contract distinct. */
const PROGRAM = assemble('0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN');
const CODE_BYTES = 4_096;
const FIRST = 1_000;
const AT_ONCE = 16;
const LIMIT_MS = 600_000;
const SLOTS = 4;
const CONFIG = parseChainConfig({ chainId: 1, ...listForkMembers('london') });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The addresses are above those of precompiles. */
const contractAt = (index: number): string => addressAt(index + FIRST);

function codeOf(address: string): Uint8Array {
  const rest = new Uint8Array(CODE_BYTES - PROGRAM.length).fill(0xfe);
  rest.set(hexToBytes(address));
  return concatBytes(PROGRAM, rest);
}

/** Heap and ArrayBuffer bytes in use after a garbage collection. */
function readUsed(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function toMembers(header: Header): object {
  const members = Object.entries(header).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? encodeQuantity(value) : bytesToHex(value as Uint8Array),
  ]);
  const { ommersHash, beneficiary, ...rest } = Object.fromEntries(members) as Record<string, string>;
  return { ...rest, sha3Uncles: ommersHash, miner: beneficiary };
}

/** Allowance for other memory in use, bytes: what the EVMs read and decoded, compiled code, and garbage that is not collected yet. */
export const REST_BYTES: number = 6 << 20;

export type Filled = {
  /** Largest counted size of cached state and codes, bytes. */
  readonly counted: number;
  /** Largest growth of memory in use since the first calls, bytes. */
  readonly growth: number;
  readonly roundTrips: number;
};

/**
 * Calls each of `contracts` contracts once on proven state, then the first ones again.
 * @param contracts number of distinct contracts
 * @param bytes bound on proven state and codes in memory
 * @throws AssertionError when an answer is wrong, the bound is exceeded, or nothing is evicted
 */
export async function fillMemory(contracts: number, bytes: number): Promise<Filled> {
  const model = new ModelState();
  for (let i = 0; i < contracts; i++) {
    const words = Array.from({ length: SLOTS }, (_, slot) => BigInt(i * SLOTS + slot + 1));
    model.set(contractAt(i), words, 0n, keccak256(codeOf(contractAt(i))));
  }
  const header: Header = {
    ...BLANK_HEADER,
    number: 1n,
    gasLimit: 30_000_000n,
    baseFeePerGas: 1n,
    stateRoot: hexToBytes(model.stateRoot),
  };
  const place = { number: 1n, hash: bytesToHex(hashHeader(header)) };
  const nodes: StateNodes = {
    requestProof: async (question) => model.prove(question),
    requestCode: async (address) => codeOf(address),
  };
  const onFault = (fault: unknown): never => assert.fail(String(fault));
  const requests = new StateRequests(nodes, createStateCache({ bytes, onFault }));
  const answers: Readonly<Record<string, (params: string) => unknown>> = {
    eth_getBlockByNumber: () => toMembers(header),
    eth_getCode: (params) => bytesToHex(codeOf((JSON.parse(params) as readonly [string])[0])),
  };
  const source: RemoteStateSource = {
    chainId: 1n,
    requests,
    locate: () => place,
    async ask({ method, encode }, _place, read) {
      const answer = answers[method];
      if (answer === undefined) throw new ChainError('failed', 'no such method');
      return read(answer(encode('"latest"'))) ?? assert.fail(method);
    },
    survey: () => assert.fail('nothing is compared'),
    refute: () => assert.fail('nothing is refuted'),
    noteExecuted: () => {},
    demandAnchor: () => {},
    demandProof: () => {},
    isOutage: (error) => error instanceof ChainError,
  };
  const pool = new ExecutionPool({ ...DEFAULT_POOL, threads: 1, onFault });
  const here = new RemoteExecutions({
    source,
    pool,
    config: CONFIG,
    network: 'n',
    log: createRecordingLog(),
    onFault,
  });
  const call = async (index: number, slot: number): Promise<void> => {
    const request = {
      call: { to: contractAt(index), data: slotAt(slot) },
      block: { kind: 'tag', tag: 'latest' },
    } as const;
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    const result = await here.execute('call', request, scope);
    assert.equal(BigInt(JSON.parse(String(result)) as string), BigInt(index * SLOTS + slot + 1));
  };
  const { states } = requests.proven;
  // Memory of the pool's EVMs and this program's code is allocated before the first measurement.
  for (let i = 0; i < AT_ONCE; i++) await call(i, 0);
  const before = readUsed();
  let [growth, counted] = [0, 0];
  for (let from = 0; from < contracts; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, contracts - from) }, (_, i) => from + i);
    await Promise.all(batch.map((index) => call(index, index % SLOTS)));
    counted = Math.max(counted, states.bytes + requests.proven.codes.bytes);
    assert.ok(counted <= bytes, `${counted} bytes are kept`);
    if (from % (AT_ONCE * 64) === 0) growth = Math.max(growth, readUsed() - before);
  }
  growth = Math.max(growth, readUsed() - before);
  assert.equal(states.proven.findAccount(model.stateRoot, contractAt(0)), undefined, 'nothing is given up');
  for (let i = 0; i < AT_ONCE; i++) await call(i, 1);
  const { roundTrips, left } = here.describe();
  assert.deepEqual(
    Object.values(left).filter((count) => count > 0),
    [],
  );
  await pool.close();
  return { counted, growth, roundTrips };
}
