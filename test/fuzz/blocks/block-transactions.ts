/** Transactions for blocks: every type, every kind of recipient, and gas limits around each threshold of the rules. */

import type {
  AccessListItem,
  Authorization,
  TransactionBody,
  TransactionType,
} from '../../../packages/ethereum/codecs/transaction.ts';
import { maxBigInt, minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import { bigIntToFixedBytes, concatBytes, EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { signHash } from '../../../scripts/chains/secp256k1.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS } from '../../../scripts/contracts/builder-contracts.ts';
import {
  CONSOLIDATION_REQUESTS_ADDRESS,
  WITHDRAWAL_REQUESTS_ADDRESS,
} from '../../../scripts/contracts/system-contracts.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import { type AddressText, CHAIN_ID } from '../fuzz-case.ts';
import { addressBytes } from '../generate/accounts.ts';
import { newAddress } from '../generate/amsterdam-deeds.ts';
import { BURNER, CREATOR, DESTROYER, PAYER, STORER } from '../generate/helpers.ts';
import { randomInitCode } from '../generate/init-code.ts';
import { generateProgram } from '../generate/program.ts';
import { randomSlot } from '../generate/words.ts';
import type { Random } from '../random.ts';
import { KEY_ADDRESSES, KEYS, type SignedBy } from './block-case.ts';
import { type BlockState, SENDERS } from './block-state.ts';

const EXECUTION_CAP = 2n ** 24n;
const ETHER = 10n ** 18n;
const S_ACCOUNT = 183_600n;
const S_SLOT = 97_920n;

export type TransactionContext = {
  readonly random: Random;
  readonly revision: Revision;
  readonly state: BlockState;
  readonly baseFeePerGas: bigint;
  readonly blobBaseFee: bigint;
  /** Next nonces by key; generation increments them. */
  readonly nonces: bigint[];
};

type Shape = { readonly to: Uint8Array | undefined; readonly data: Uint8Array; readonly value: bigint };

const word = (value: bigint): Uint8Array => bigIntToFixedBytes(value, 32);
const words = (...values: readonly bigint[]): Uint8Array => concatBytes(...values.map(word));

function randomValue(random: Random): bigint {
  return random.pick([0n, 0n, 1n, 1n, 2n, 1000n, ETHER]);
}

function randomRecipient({ random, state }: TransactionContext, key: number): bigint {
  return random.pickWeighted<() => bigint>([
    [4, () => newAddress(random)],
    [3, () => random.pick(state.addresses)],
    [3, () => random.pick(state.contracts)],
    [2, () => BigInt(random.pick(KEY_ADDRESSES))],
    [1, () => BigInt(KEY_ADDRESSES[key] as string)],
    [1, () => BigInt(random.between(1, 20))],
    [1, () => 0x100n],
  ])();
}

/** A call of a contract that queues requests, mostly well-formed. */
function requestShape(random: Random): Shape {
  const [address, length, value] = random.pick([
    [WITHDRAWAL_REQUESTS_ADDRESS, 56, 1n],
    [CONSOLIDATION_REQUESTS_ADDRESS, 96, 1n],
    [hexToBytes(BUILDER_DEPOSITS.address), 184, 2n * ETHER],
    [hexToBytes(BUILDER_EXITS.address), 48, 1n],
  ] as const);
  const data = random.bytes(random.oneIn(10) ? random.below(200) : length);
  // The amount of a deposit in gwei: between 1 and 2 ether.
  if (length === 184 && data.length === 184)
    data.set(bigIntToFixedBytes(1_000_000_000n + BigInt(random.below(2)), 8), 80);
  return { to: address, data, value: random.oneIn(8) ? BigInt(random.below(2)) : value };
}

function helperShape({ random, state }: TransactionContext): Shape {
  const ending = BigInt(random.pick([0, 0, 1, 2]));
  const target = random.oneIn(2) ? newAddress(random) : random.pick(state.addresses);
  const [to, data] = random.pick([
    [STORER, words(0x5107_0000n + BigInt(random.below(6)), BigInt(random.below(3)), ending)],
    [DESTROYER, words(target)],
    [PAYER, words(target, BigInt(random.below(3)), ending)],
    [
      CREATOR,
      concatBytes(
        words(BigInt(random.below(2)), ending),
        hexToBytes(random.pick(['0x5f5ff3', '0x60205ff3', '0x30ff', '0xfe'])),
      ),
    ],
    [BURNER, EMPTY_BYTES],
  ] as const);
  return { to: addressBytes(to), data, value: BigInt(random.below(3)) };
}

function creationShape({ random, revision, state }: TransactionContext): Shape {
  const length = random.oneIn(60) ? random.pick([49_153, 131_072, 131_073]) : 0;
  const data =
    length > 0
      ? new Uint8Array(length)
      : randomInitCode(random, revision, () => generateProgram(random, revision, state.addresses, 1));
  return { to: undefined, data, value: randomValue(random) };
}

function callShape(context: TransactionContext, key: number): Shape {
  const { random } = context;
  const length = random.pickWeighted([
    [6, 0],
    [3, random.below(100)],
    [1, random.below(3000)],
  ]);
  const data = random.oneIn(2) ? new Uint8Array(length) : random.bytes(length);
  return { to: addressBytes(randomRecipient(context, key)), data, value: randomValue(random) };
}

function randomShape(context: TransactionContext, key: number): Shape {
  const { random, state } = context;
  return random.pickWeighted<() => Shape>([
    [5, () => callShape(context, key)],
    [
      4,
      () => ({
        to: addressBytes(random.pick(state.contracts)),
        data: random.bytes(random.below(70)),
        value: randomValue(random),
      }),
    ],
    [3, () => helperShape(context)],
    [3, () => creationShape(context)],
    [2, () => requestShape(random)],
  ])();
}

function randomAccessList({ random, state }: TransactionContext): AccessListItem[] {
  return Array.from({ length: random.below(4) }, () => ({
    address: addressBytes(random.oneIn(4) ? newAddress(random) : random.pick(state.addresses)),
    storageKeys: Array.from({ length: random.below(3) }, () => word(randomSlot(random))),
  }));
}

function authorize(context: TransactionContext, sender: number): Authorization {
  const { random, nonces, state } = context;
  const key = random.oneIn(8) ? sender : random.between(SENDERS - 1, KEYS.length - 1);
  const chainId = random.pickWeighted([
    [4, CHAIN_ID],
    [3, 0n],
    [1, CHAIN_ID + 1n],
  ]);
  const target = random.oneIn(5)
    ? 0n
    : random.pick([...state.contracts, ...state.addresses, newAddress(random)]);
  const isCorrect = !random.oneIn(6);
  const nonce = isCorrect
    ? (nonces[key] as bigint) + (key === sender ? 1n : 0n)
    : random.pick([0n, 1n, 2n ** 64n - 1n]);
  if (isCorrect && chainId <= CHAIN_ID) nonces[key] = (nonces[key] as bigint) + 1n;
  const address = addressBytes(target);
  const hash = keccak256(concatBytes(Uint8Array.of(5), encodeRlp([chainId, address, nonce])));
  const signature = signHash(hash, KEYS[key] as Uint8Array);
  const isBroken = random.oneIn(30);
  return { chainId, address, nonce, signature: isBroken ? { ...signature, r: 0n } : signature };
}

/** Gas that a transaction pays before execution, and the minimum that it pays in all (EIP-2780, 7976, 7981). */
function gasBounds(
  { to, data, value }: Shape,
  sender: AddressText,
  accessList: readonly AccessListItem[],
  authorizations: number,
): { readonly intrinsic: bigint; readonly floor: bigint } {
  const isToSelf = to !== undefined && bytesToHex(to) === sender;
  let base = 12_000n;
  if (to === undefined) base += 12_000n;
  else if (!isToSelf) base += value > 0n ? 9000n : 3000n;
  let intrinsic = base + 7816n * BigInt(authorizations);
  let floor = base + 64n * BigInt(data.length);
  for (const byte of data) intrinsic += byte === 0 ? 4n : 16n;
  if (to === undefined) intrinsic += 2n * BigInt(Math.ceil(data.length / 32));
  for (const { storageKeys } of accessList) {
    intrinsic += 4180n + 4048n * BigInt(storageKeys.length);
    floor += 1280n + 2048n * BigInt(storageKeys.length);
  }
  return { intrinsic, floor };
}

function randomGasLimit(random: Random, intrinsic: bigint, floor: bigint): bigint {
  const least = maxBigInt(intrinsic, floor);
  return random.pickWeighted<() => bigint>([
    // Near the thresholds, sometimes one below or above.
    [1, () => intrinsic + BigInt(random.between(-1, 2))],
    [1, () => floor + BigInt(random.between(-1, 2))],
    [1, () => least + BigInt(random.below(20_000))],
    [2, () => least + BigInt(random.below(120_000))],
    [2, () => least + S_ACCOUNT + BigInt(random.below(40_000)) - 3000n],
    [2, () => least + S_SLOT + BigInt(random.below(40_000)) - 3000n],
    [6, () => least + BigInt(random.between(200_000, 1_000_000))],
    [5, () => least + BigInt(random.between(1_000_000, 9_000_000))],
    // Reservoirs: nearly none, less than one account, some, and more than any transaction needs.
    [1, () => EXECUTION_CAP + BigInt(random.between(-2, 2))],
    [2, () => EXECUTION_CAP + BigInt(random.below(190_000))],
    [3, () => EXECUTION_CAP + intrinsic + BigInt(random.below(800_000))],
    [3, () => 2n * EXECUTION_CAP + BigInt(random.next())],
  ])();
}

function pickType(random: Random): TransactionType {
  return random.pickWeighted<TransactionType>([
    [3, 0],
    [2, 1],
    [4, 2],
    [1, 3],
    [3, 4],
  ]);
}

function randomBlobHashes(random: Random): Uint8Array[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    const hash = random.bytes(32);
    hash[0] = random.oneIn(20) ? 2 : 1;
    return hash;
  });
}

export function generateBlockTransaction(context: TransactionContext): SignedBy {
  const { random, revision, baseFeePerGas, blobBaseFee, nonces } = context;
  const key = random.below(SENDERS);
  const nonce = nonces[key] as bigint;
  const type = pickType(random);
  let shape = randomShape(context, key);
  if (shape.to === undefined && type > 2) shape = callShape(context, key);
  const accessList = type === 0 || random.oneIn(2) ? [] : randomAccessList(context);
  const authorizationList =
    type === 4 ? Array.from({ length: random.between(1, 4) }, () => authorize(context, key)) : [];
  const sender = KEY_ADDRESSES[key] as string;
  const { intrinsic, floor } = gasBounds(shape, sender, accessList, authorizationList.length);
  const priority = BigInt(random.pick([0, 0, 1, 7, 1000]));
  const price = baseFeePerGas + priority + BigInt(random.pick([0, 0, 3]));
  const isWrong = random.oneIn(80);
  const limit = randomGasLimit(random, intrinsic, floor);
  const gasLimit = isAtLeast(revision, 'amsterdam') ? limit : minBigInt(limit, EXECUTION_CAP);
  if (!isWrong && gasLimit >= maxBigInt(intrinsic, floor)) nonces[key] = nonce + 1n;
  const body: TransactionBody = {
    ...shape,
    type,
    chainId: type === 0 && random.oneIn(3) ? undefined : CHAIN_ID,
    nonce: isWrong ? nonce + BigInt(random.pick([1, 2])) : nonce,
    gasLimit,
    maxFeePerGas: random.oneIn(100) ? 0n : price,
    maxPriorityFeePerGas: type < 2 ? price : priority,
    accessList,
    maxFeePerBlobGas: type === 3 ? blobBaseFee : 0n,
    blobVersionedHashes: type === 3 ? randomBlobHashes(random) : [],
    authorizationList,
  };
  return { key, body: type < 2 ? { ...body, maxFeePerGas: body.maxPriorityFeePerGas } : body };
}
