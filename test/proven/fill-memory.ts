import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assemble } from '../../scripts/assembler.ts';
import { listForkMembers, parseChainConfig } from '../../src/chain/chain-config.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { BLANK_HEADER, type Header, hashHeader } from '../../src/chain/header.ts';
import { DEFAULT_POOL, ExecutionPool } from '../../src/engine/execution/execution-pool.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeQuantity } from '../../src/primitives/quantity.ts';
import type { StateNodes } from '../../src/proven/state-nodes.ts';
import { createStateCache, StateRequests } from '../../src/proven/state-requests.ts';
import { RemoteExecutions } from '../../src/remote/remote-executions.ts';
import type { StateSource } from '../../src/remote/state-source.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { addressAt, ModelState, slotAt } from './model-state.ts';

/** Returns the slot that the call's data name; what follows the program makes each contract's code another one. */
const PROGRAM = assemble('0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN');
const CODE_BYTES = 4_096;
const FIRST = 1_000;
const AT_ONCE = 16;
const LIMIT_MS = 600_000;
const SLOTS = 4;
const CONFIG = parseChainConfig({ chainId: 1, ...listForkMembers('london') });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Above the addresses of precompiles. */
const contractAt = (index: number): string => addressAt(index + FIRST);

function codeOf(address: string): Uint8Array {
  const rest = new Uint8Array(CODE_BYTES - PROGRAM.length).fill(0xfe);
  rest.set(hexToBytes(address));
  return concatBytes(PROGRAM, rest);
}

/** Bytes of the heap and outside of it that are in use. */
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

/** What is in use beside: what EVMs have read and decoded, compiled code, and what is about to be collected; bytes. */
export const REST_BYTES: number = 6 << 20;

export type Filled = {
  /** The most that was counted, bytes. */
  readonly counted: number;
  /** The most that was in use beyond what was before the first calls, bytes. */
  readonly growth: number;
  readonly roundTrips: number;
};

/**
 * Calls so many contracts once each on proven state, then the first ones again.
 * @param bytes that proven state and codes may take
 * @throws AssertionError where an answer is wrong, more is kept than may be, or nothing has been given up
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
  const source: StateSource = {
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
  // What the EVMs of the pool and the code of this program take is there before it is measured.
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
