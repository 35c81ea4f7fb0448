/** Typical calls of a node's clients, and the contracts that answer them. */

import { concatBytes, padLeft } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { ACCOUNTS, type Account, labelAddress } from '../../scripts/chains/accounts.ts';
import { encodeCall, encodeWord } from '../../scripts/chains/encode-call.ts';
import type { TransactionPlan } from '../../scripts/chains/transaction-plan.ts';
import { LOOP_SLOTS, LOOPS_CODE, loopSignature } from '../contracts/loops.ts';
import { MULTICALL_CODE } from '../contracts/multicall.ts';
import { PAIR_CODE, packReserves } from '../contracts/pair.ts';
import { ROUTER_CODE } from '../contracts/router.ts';
import { TOKEN_CODE } from '../contracts/token.ts';
import { encodeRequest } from './ask.ts';
import type { Contract } from './chain.ts';

export const TOKEN: Uint8Array = labelAddress('bench token');
export const ROUTER: Uint8Array = labelAddress('bench router');
export const MULTICALL: Uint8Array = labelAddress('bench multicall');
const LOOPS = labelAddress('bench loops');
export const PAIRS: readonly Uint8Array[] = [0, 1, 2].map((i) => labelAddress(`bench pair ${i}`));
export const OWNERS: readonly Uint8Array[] = Array.from({ length: 500 }, (_, i) =>
  labelAddress(`bench owner ${i}`),
);

const ETHER = 10n ** 18n;
/** Calls in one multicall and in one batch. */
const MANY = 100;
const SLOTS_READ = 500n;
const CALL_BYTES = 36;
/** Distinct requests per workload, sent in rotation so that caching answers gains nothing. */
const VARIANTS = 16;

/** Returns the storage slot of `owner` in the mapping at slot 0. */
export function balanceSlot(owner: Uint8Array): string {
  return bytesToHex(keccak256(concatBytes(padLeft(owner, 32), encodeWord(0n))));
}

export function createPair(address: Uint8Array, index: number): Contract {
  const reserves = packReserves(
    BigInt(index + 7) * 10n ** 24n,
    BigInt(3 * index + 5) * 10n ** 23n,
    1_700_000_000n,
  );
  return { address, code: PAIR_CODE, storage: { '0x0': reserves } };
}

/** Contracts that must exist before the first call. */
export const CALL_CONTRACTS: readonly Contract[] = [
  {
    address: TOKEN,
    code: TOKEN_CODE,
    storage: Object.fromEntries(
      [...OWNERS, ...ACCOUNTS.map(({ address }) => address)].map((owner, i) => [
        balanceSlot(owner),
        bytesToHex(encodeWord(BigInt(i + 1) * ETHER)),
      ]),
    ),
  },
  ...PAIRS.map(createPair),
  { address: ROUTER, code: ROUTER_CODE },
  { address: MULTICALL, code: MULTICALL_CODE },
  {
    address: LOOPS,
    code: LOOPS_CODE,
    storage: Object.fromEntries(
      Array.from({ length: LOOP_SLOTS }, (_, i) => [`0x${i.toString(16)}`, `0x${(i * i + 1).toString(16)}`]),
    ),
  },
];

/** Token transfers in block 1 of every measured chain. */
const TRANSFERS = 100;
const TRANSFER_GAS = 80_000n;

/** Transactions of block 1, for reads of blocks, receipts and logs. */
export const TRANSFER_PLANS: readonly TransactionPlan[] = Array.from({ length: TRANSFERS }, (_, i) => ({
  from: ACCOUNTS[i % ACCOUNTS.length] as Account,
  to: TOKEN,
  data: encodeCall('transfer(address,uint256)', ownerAt(i), BigInt(i + 1)),
  gasLimit: TRANSFER_GAS,
}));

function ownerAt(index: number): Uint8Array {
  return OWNERS[index % OWNERS.length] as Uint8Array;
}

function encodeBalanceOf(index: number): Uint8Array {
  return encodeBalance(ownerAt(index));
}

export function encodeBalance(owner: Uint8Array): Uint8Array {
  return encodeCall('balanceOf(address)', owner);
}

export function encodeQuote(amount: bigint, pairs: readonly Uint8Array[] = PAIRS): Uint8Array {
  const head = encodeCall('getAmountsOut(uint256,address[])', amount, 64n);
  return concatBytes(head, encodeWord(BigInt(pairs.length)), ...pairs.map((pair) => padLeft(pair, 32)));
}

/** Encodes one `aggregate` call that reads the balances of `owners`. */
export function encodeMulticall(owners: readonly Uint8Array[]): Uint8Array {
  const tuples = owners.map((owner) =>
    concatBytes(
      padLeft(TOKEN, 32),
      encodeWord(64n),
      encodeWord(BigInt(CALL_BYTES)),
      encodeBalance(owner),
      new Uint8Array(-CALL_BYTES & 31),
    ),
  );
  const size = (tuples[0] as Uint8Array).length;
  const offsets = tuples.map((_, i) => encodeWord(BigInt(32 * owners.length + i * size)));
  const head = encodeCall('aggregate((address,bytes)[])', 32n);
  return concatBytes(head, encodeWord(BigInt(owners.length)), ...offsets, ...tuples);
}

export function encodeEthCall(to: Uint8Array, data: Uint8Array, id?: number, block = 'latest'): string {
  return encodeRequest('eth_call', [{ to: bytesToHex(to), data: bytesToHex(data) }, block], id);
}

function encodeEstimate(index: number): string {
  const data = encodeCall('transfer(address,uint256)', ownerAt(index + 1), ETHER);
  const call = { from: bytesToHex(ownerAt(index)), to: bytesToHex(TOKEN), data: bytesToHex(data) };
  return encodeRequest('eth_estimateGas', [call]);
}

function encodeBatch(first: number, encode: (index: number) => Uint8Array = encodeBalanceOf): string {
  const calls = Array.from({ length: MANY }, (_, i) => encodeEthCall(TOKEN, encode(first + i), i + 1));
  return `[${calls.join(',')}]`;
}

/** Number of owners that no other workload reads; their balances are zero. */
const LONE_OWNERS = 100_000;

/** Batches of calls with different owners, each used once before any repeats, so that no cached hash helps. */
export function createManyOwnersWorkload(): Workload {
  const encode = (index: number): Uint8Array =>
    encodeBalance(concatBytes(TOKEN.subarray(0, 12), padLeft(encodeNumber(index), 8)));
  const bodies = Array.from({ length: LONE_OWNERS / MANY }, (_, i) => encodeBatch(i * MANY, encode));
  return { name: `batch, ${LONE_OWNERS} owners`, target: 8, bodies };
}

function encodeNumber(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

export type Workload = {
  readonly name: string;
  /** Least speed relative to the peer; undefined: shown without a target. */
  readonly target: number | undefined;
  /** Request bodies, sent in rotation. */
  readonly bodies: readonly string[];
  /** Answers may differ as far as two binary searches for the same limit may. */
  readonly isEstimate?: true;
  /** Extracts the part of a result that both sides have to agree on where their blocks differ; by default the whole result. */
  readonly digest?: (result: never) => unknown;
};

function vary(create: (index: number) => string): readonly string[] {
  return Array.from({ length: VARIANTS }, (_, index) => create(index));
}

export const BALANCE_BODIES: readonly string[] = vary((i) => encodeEthCall(TOKEN, encodeBalanceOf(i)));

export const WORKLOADS: readonly Workload[] = [
  { name: 'chainId', target: undefined, bodies: [encodeRequest('eth_chainId', [])] },
  { name: 'balanceOf', target: 2, bodies: BALANCE_BODIES },
  {
    name: 'quote',
    target: 1.7,
    bodies: vary((i) => encodeEthCall(ROUTER, encodeQuote(BigInt(i + 1) * ETHER))),
  },
  {
    name: 'multicall',
    target: 1.5,
    bodies: vary((i) => encodeEthCall(MULTICALL, encodeMulticall(OWNERS.slice(7 * i, 7 * i + MANY)))),
  },
  {
    name: 'SLOAD',
    target: 2,
    bodies: vary((i) => encodeEthCall(LOOPS, encodeCall(loopSignature('sloads'), SLOTS_READ + BigInt(i)))),
  },
  { name: 'estimate', target: 2, bodies: vary(encodeEstimate), isEstimate: true },
  { name: 'batch', target: 8, bodies: vary((i) => encodeBatch(7 * i)) },
];

type Logs = readonly { readonly topics: readonly string[]; readonly data: string }[];

const digestLogs = (logs: Logs): unknown => logs.map(({ topics, data }) => [topics, data]);

/**
 * Lists reads of state, and of block 1 with `TRANSFER_PLANS`.
 * @param hashes transaction hashes of block 1
 */
export function listReadWorkloads(hashes: readonly string[]): readonly Workload[] {
  const token = bytesToHex(TOKEN);
  const accountAt = (index: number): string =>
    bytesToHex((ACCOUNTS[index % ACCOUNTS.length] as Account).address);
  return [
    {
      name: 'getBalance',
      target: 2,
      bodies: vary((i) => encodeRequest('eth_getBalance', [accountAt(i), 'latest'])),
      // Balances depend on the block's gas prices, which follow from its header, and the headers differ.
      digest: (balance: string) => BigInt(balance) > 0n,
    },
    {
      name: 'getStorageAt',
      target: 2,
      bodies: vary((i) => encodeRequest('eth_getStorageAt', [token, balanceSlot(ownerAt(i)), 'latest'])),
    },
    {
      name: 'getTransactionReceipt',
      target: 2,
      bodies: vary((i) => encodeRequest('eth_getTransactionReceipt', [hashes[i]])),
      digest: ({ gasUsed, logs }: { gasUsed: string; logs: Logs }) => [gasUsed, digestLogs(logs)],
    },
    {
      name: 'getBlockByNumber, full',
      target: 2,
      bodies: [encodeRequest('eth_getBlockByNumber', ['0x1', true])],
      digest: ({ transactions }: { transactions: readonly { hash: string }[] }) =>
        transactions.map(({ hash }) => hash),
    },
    {
      name: 'getLogs',
      target: 2,
      bodies: vary((i) => {
        const to = bytesToHex(padLeft(ownerAt(i), 32));
        return encodeRequest('eth_getLogs', [
          { address: token, topics: [null, null, to], fromBlock: '0x0', toBlock: 'latest' },
        ]);
      }),
      digest: digestLogs,
    },
  ];
}
