import type {
  AccessListItem,
  Authorization,
  TransactionBody,
  TransactionType,
} from '../../../packages/ethereum/codecs/transaction.ts';
import { maxBigInt, minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import { bigIntToFixedBytes, concatBytes, EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { Signature } from '../../../packages/ethereum/primitives/signature.ts';
import {
  computeFloorGas,
  computeIntrinsicGas,
  countDataBytes,
} from '../../../packages/evm/interpreter/intrinsic-gas.ts';
import { type Revision, rulesOf } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { signHash } from '../../../scripts/chains/secp256k1.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import { CHAIN_ID, type FuzzBlock } from '../fuzz-case.ts';
import type { Random } from '../random.ts';
import { AUTHORITY_KEYS, addressBytes, addressText, type GeneratedState, SENDER } from './accounts.ts';
import { randomInitCode } from './init-code.ts';
import { generateProgram } from './program.ts';
import { randomSlot, randomWord } from './words.ts';

/** Gas limit of a transaction (EIP-7825). */
const MAX_TRANSACTION_GAS = 2n ** 24n;

function pickType(random: Random, revision: Revision): TransactionType {
  return random.pickWeighted<TransactionType>([
    [3, 0],
    [isAtLeast(revision, 'berlin') ? 3 : 0, 1],
    [isAtLeast(revision, 'london') ? 3 : 0, 2],
    [isAtLeast(revision, 'cancun') ? 1 : 0, 3],
    [isAtLeast(revision, 'prague') ? 1 : 0, 4],
  ]);
}

function randomAccessList(random: Random, addresses: readonly bigint[]): AccessListItem[] {
  return Array.from({ length: random.below(4) }, () => ({
    address: addressBytes(random.pick(addresses)),
    storageKeys: Array.from({ length: random.below(3) }, () => bigIntToFixedBytes(randomSlot(random), 32)),
  }));
}

/** Cached signatures: signing is slow, and few authorizations differ. */
const signatures = new Map<string, Signature>();
const MAX_SIGNATURES = 4096;

function signAuthorization(key: number, chainId: bigint, address: Uint8Array, nonce: bigint): Authorization {
  const name = `${key} ${chainId} ${address} ${nonce}`;
  let signature = signatures.get(name);
  if (signature === undefined) {
    const hash = keccak256(concatBytes(Uint8Array.of(5), encodeRlp([chainId, address, nonce])));
    signature = signHash(hash, AUTHORITY_KEYS[key] as Uint8Array);
    if (signatures.size < MAX_SIGNATURES) signatures.set(name, signature);
  }
  return { chainId, address, nonce, signature };
}

function randomAuthorizations(random: Random, addresses: readonly bigint[]): Authorization[] {
  return Array.from({ length: random.between(1, 3) }, () =>
    signAuthorization(
      random.below(AUTHORITY_KEYS.length),
      random.pick([0n, CHAIN_ID, CHAIN_ID, CHAIN_ID + 1n]),
      addressBytes(random.oneIn(6) ? 0n : random.pick(addresses)),
      BigInt(random.below(3)),
    ),
  );
}

/** Gas for the execution, sometimes so little that it runs out in the middle. */
function randomExecutionGas(random: Random, revision: Revision): bigint {
  const kind = random.below(40);
  if (kind < 3) return BigInt(random.below(5000));
  if (kind < 9) return BigInt(random.below(80_000));
  // Deposits of the longest code take 4.9 million.
  if (kind === 9 && isAtLeast(revision, 'tangerineWhistle'))
    return BigInt(5_500_000 + random.below(1_000_000));
  return BigInt(200_000 + random.below(400_000));
}

function randomBlobHashes(random: Random): Uint8Array[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    const hash = random.bytes(32);
    hash[0] = 1;
    return hash;
  });
}

export function generateTransaction(
  random: Random,
  revision: Revision,
  block: FuzzBlock,
  state: GeneratedState,
  level: 'message' | 'transaction',
): TransactionBody {
  const { addresses, contracts, accounts } = state;
  const type = pickType(random, revision);
  const isCreation = type < 3 && random.oneIn(10);
  const target = random.oneIn(10) ? random.pick(addresses) : (contracts[0] as bigint);
  const data = isCreation
    ? randomInitCode(random, revision, () => generateProgram(random, revision, addresses, 1))
    : random.bytes(random.pick([0, 0, 4, 32, 36, 68, random.below(100)]));
  if (!isCreation) for (let i = random.below(3) * 11; i < Math.min(data.length, 40); i++) data[i] = 0;
  const accessList = type === 0 ? [] : randomAccessList(random, addresses);
  const authorizationList = type === 4 ? randomAuthorizations(random, addresses) : [];
  const dataBytes = countDataBytes(data);
  const gasInput = {
    data: dataBytes,
    isCreation,
    isToSender: false,
    hasValue: true,
    accessedAddresses: accessList.length,
    accessedStorageKeys: accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0),
    authorizations: authorizationList.length,
  };
  const intrinsic = computeIntrinsicGas(gasInput, rulesOf(revision));
  const least = level === 'message' ? 0n : maxBigInt(intrinsic, computeFloorGas(gasInput, rulesOf(revision)));
  const execution = randomExecutionGas(random, revision);
  const isShort = level === 'transaction' && random.oneIn(100);
  const priority = BigInt(random.pick([0, 0, 1, 7, 1000]));
  const price = (block.baseFeePerGas ?? 0n) + priority + BigInt(random.pick([0, 0, 3]));
  return {
    type,
    chainId: type === 0 ? undefined : CHAIN_ID,
    nonce: accounts.get(addressText(SENDER))?.nonce ?? 0n,
    gasLimit: isShort ? maxBigInt(least - 1n, 0n) : minBigInt(least + execution, MAX_TRANSACTION_GAS),
    maxFeePerGas: price,
    maxPriorityFeePerGas: type < 2 ? price : priority,
    to: isCreation ? undefined : addressBytes(target),
    value: random.pickWeighted([
      [6, 0n],
      [3, 1n],
      [1, 10n ** 18n],
      [1, randomWord(random) % 2n ** 120n],
    ]),
    data: data.length === 0 ? EMPTY_BYTES : data,
    accessList,
    maxFeePerBlobGas: type === 3 ? block.blobBaseFee : 0n,
    blobVersionedHashes: type === 3 ? randomBlobHashes(random) : [],
    authorizationList,
  };
}
