import { computeBlobGasPrice } from '../../../packages/evm/interpreter/fee-market.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import { addressBytes, addressText, BENEFICIARY } from '../generate/accounts.ts';
import { newAddress } from '../generate/amsterdam-deeds.ts';
import { generateDeeds, generateProgram } from '../generate/program.ts';
import { randomWord } from '../generate/words.ts';
import { Random } from '../random.ts';
import { type BlockCase, type CaseBlock, KEY_ADDRESSES } from './block-case.ts';
import { type BlockState, generateBlockState, protocolAccounts } from './block-state.ts';
import { generateBlockTransaction } from './block-transactions.ts';

/** Incremented by every change of the generators that makes the same seed produce another block. */
export const BLOCK_GENERATOR_VERSION = 3;

const MAX_TRANSACTIONS = 12;
const PROGRAMS = 3;
const BLOB_UPDATE_FRACTION = 11_684_671n;
const PRAGUE_UPDATE_FRACTION = 5_007_716n;

function generateEnvironment(random: Random, revision: Revision, { addresses }: BlockState): CaseBlock {
  const beneficiary = random.pick([BENEFICIARY, BENEFICIARY, newAddress(random), random.pick(addresses)]);
  return {
    number: random.pick([1n, 1n, 2n, 3n, 300n]),
    timestamp: BigInt(random.next()),
    beneficiary: addressText(beneficiary),
    gasLimit: random.pick([30_000_000n, 60_000_000n, 200_000_000n, 10n ** 10n, 10n ** 11n, 10n ** 11n]),
    prevRandao: randomWord(random),
    baseFeePerGas: BigInt(random.pick([0, 7, 1_000_000_000])),
    excessBlobGas: BigInt(random.pick([0, 0, 131_072, 10_000_000, 50_000_000])),
    parentBeaconBlockRoot: randomWord(random),
    slotNumber: isAtLeast(revision, 'amsterdam') ? randomWord(random) % 2n ** 64n : undefined,
  };
}

function generateWithdrawals(random: Random, { addresses }: BlockState): BlockCase['withdrawals'] {
  return Array.from({ length: random.pick([0, 0, 1, 3]) }, (_, index) => ({
    index: BigInt(index),
    validatorIndex: BigInt(index),
    address: addressBytes(random.oneIn(2) ? newAddress(random) : random.pick(addresses)),
    amount: BigInt(random.pick([0, 1, 32_000_000_000])),
  }));
}

/** Sometimes replaces a contract that the protocol calls by a program, failing code, or nothing. */
function replaceProtocolCode(random: Random, revision: Revision, { accounts, addresses }: BlockState): void {
  if (!random.oneIn(8)) return;
  const address = random.pick([...protocolAccounts().keys()]);
  const account = accounts.get(address);
  if (account === undefined) return;
  if (random.oneIn(12)) accounts.delete(address);
  else {
    const generate = random.oneIn(3) ? generateDeeds : generateProgram;
    accounts.set(address, { ...account, balance: 5n, code: generate(random, revision, addresses) });
  }
}

/** Generates block number `index` of a seed. */
export function generateBlock(seed: number, index: number, revision: Revision): BlockCase {
  const random = new Random(seed, index, BLOCK_GENERATOR_VERSION);
  const state = generateBlockState(random, revision, PROGRAMS);
  replaceProtocolCode(random, revision, state);
  const block = generateEnvironment(random, revision, state);
  const fraction = isAtLeast(revision, 'amsterdam') ? BLOB_UPDATE_FRACTION : PRAGUE_UPDATE_FRACTION;
  const context = {
    random,
    revision,
    state,
    baseFeePerGas: block.baseFeePerGas,
    blobBaseFee: computeBlobGasPrice(block.excessBlobGas, fraction),
    nonces: KEY_ADDRESSES.map((address) => state.accounts.get(address)?.nonce ?? 0n),
  };
  const transactions = Array.from({ length: random.between(1, MAX_TRANSACTIONS) }, () =>
    generateBlockTransaction(context),
  );
  return {
    revision,
    accounts: state.accounts,
    block,
    withdrawals: generateWithdrawals(random, state),
    transactions,
  };
}
