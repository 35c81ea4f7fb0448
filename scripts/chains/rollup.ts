import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { LONDON_AT_GENESIS } from '../../src/embedding/development-genesis.ts';
import { LAST_ANCHORED_SLOT, MESSAGE_SERVICE_RUNTIME } from '../contracts/message-service.ts';
import { ALICE, BOB, CAROL, DAVE, labelAddress } from './accounts.ts';
import {
  call,
  callReverter,
  deployHelpersAndSpreadTokens,
  deployTokenAndReverter,
  listTokenBalances,
  TOKEN,
  transfer,
  transferToken,
} from './actions.ts';
import { type BlockPlan, ChainBuilder } from './chain-builder.ts';
import type { DevelopmentChain } from './development-chain.ts';
import { GENESIS_TIME } from './devnet-genesis.ts';
import { encodeCall } from './encode-call.ts';
import { allocateContract, renderGenesis } from './genesis-file.ts';
import { encodeLineaExtraData, type Pricing } from './linea-pricing.ts';
import { APPROVALS, FAILURES, HEAD, send, TRANSFERS } from './rollup-plans.ts';
import type { Fees, TransactionPlan } from './transaction-plan.ts';

export const ROLLUP_CHAIN_ID = 59337;
/** Address of Linea's L2 message service. */
export const MESSAGE_SERVICE: Uint8Array = hexToBytes('0x508ca82df566dcd1b0de8296e70a96332cd644ec');

/** Last anchored message number in genesis; blocks anchor more. */
const FIRST_MESSAGE = 4_096n;
const BLOCK_SECONDS = 2n;
const BASE_FEE = 7n;
const GAS_LIMIT = 61_000_000n;
const SEQUENCER: Uint8Array = labelAddress('sequencer');

/** Prices at the head, kWei. */
const HEAD_PRICING: Pricing = { fixedCost: 30_000, variableCost: 16_076_389, ethGasPrice: 60_000 };
/** Increase of the prices per block up to the head, kWei. */
const PRICE_STEP = { variableCost: 123_457, ethGasPrice: 500 } as const;

/** Fees in wei; the part above the base fee is the tip, which pays for publishing on layer 1. */
const FEES: Fees = {
  gasPrice: 120_000_000n,
  maxFeePerGas: 150_000_000n,
  maxPriorityFeePerGas: 100_000_000n,
  maxFeePerBlobGas: 0n,
};

const anchor = (number: bigint): TransactionPlan => ({
  ...call(DAVE, MESSAGE_SERVICE, encodeCall('anchor(uint256)', number)),
  type: 2,
});

const PLANS: readonly BlockPlan[] = [
  { shows: 'the ERC-20 and the reverter are created', transactions: deployTokenAndReverter() },
  {
    shows: 'callenv and the delegate are created, ERC-20 transfers',
    transactions: deployHelpersAndSpreadTokens(),
  },
  { shows: 'an empty block' },
  { shows: 'the first message of layer 1 is anchored', transactions: [anchor(FIRST_MESSAGE + 1n)] },
  TRANSFERS,
  APPROVALS,
  { shows: 'several messages anchored at once', transactions: [anchor(FIRST_MESSAGE + 6n)] },
  FAILURES,
  {
    shows: 'an anchored message may not be anchored again',
    transactions: [{ ...anchor(FIRST_MESSAGE + 6n), fails: true }],
  },
  { shows: 'storage is written', transactions: [send(callReverter(CAROL, 'write(uint256)', 59n))] },
  { shows: 'an empty block, dearer to publish than the last' },
  {
    shows: 'an access list',
    transactions: [
      { ...transferToken(BOB, DAVE.address, TOKEN), type: 1, accessList: listTokenBalances(BOB, DAVE) },
    ],
  },
  { shows: 'a message', transactions: [anchor(FIRST_MESSAGE + 9n)] },
  { shows: 'a transfer of nothing', transactions: [send(transfer(ALICE, ALICE.address, 0n))] },
  {
    shows: 'an ERC-20 transfer beyond the balance',
    transactions: [{ ...send(transferToken(DAVE, BOB.address, 100n * TOKEN)), fails: true }],
  },
  { shows: 'a message', transactions: [anchor(FIRST_MESSAGE + 10n)] },
  {
    shows: 'plain transfers',
    transactions: [ALICE, BOB, CAROL].map((from) => transfer(from, DAVE.address, 1n)),
  },
  { shows: 'storage is cleared', transactions: [send(callReverter(CAROL, 'write(uint256)', 0n))] },
  { shows: 'messages', transactions: [anchor(FIRST_MESSAGE + 12n), anchor(FIRST_MESSAGE + 15n)] },
  HEAD,
];

function extraDataOf(number: bigint): Uint8Array {
  const blocksToHead = PLANS.length - Number(number);
  return encodeLineaExtraData({
    fixedCost: HEAD_PRICING.fixedCost,
    variableCost: HEAD_PRICING.variableCost - blocksToHead * PRICE_STEP.variableCost,
    ethGasPrice: HEAD_PRICING.ethGasPrice - blocksToHead * PRICE_STEP.ethGasPrice,
  });
}

function renderRollupGenesis(): string {
  const slot = `0x${LAST_ANCHORED_SLOT.toString(16)}`;
  const storage = { [slot]: `0x${FIRST_MESSAGE.toString(16)}` };
  return renderGenesis({
    config: {
      chainId: ROLLUP_CHAIN_ID,
      ...LONDON_AT_GENESIS,
      shanghaiTime: 0,
    },
    header: {
      timestamp: `0x${GENESIS_TIME.toString(16)}`,
      extraData: bytesToHex(extraDataOf(0n)),
      gasLimit: `0x${GAS_LIMIT.toString(16)}`,
      difficulty: '0x0',
      baseFeePerGas: `0x${BASE_FEE.toString(16)}`,
    },
    allocations: { [bytesToHex(MESSAGE_SERVICE)]: allocateContract(MESSAGE_SERVICE_RUNTIME, storage) },
  });
}

/** Builds a layer 2 with Linea's pricing. */
export async function buildRollup(): Promise<DevelopmentChain> {
  const genesis = renderRollupGenesis();
  const builder = new ChainBuilder(genesis, {
    fees: FEES,
    headerOf: (number) => ({
      timestamp: GENESIS_TIME + number * BLOCK_SECONDS,
      beneficiary: SEQUENCER,
      extraData: extraDataOf(number),
    }),
  });
  for (const plan of PLANS) await builder.append(plan);
  return { genesis, plans: PLANS, blocks: builder.chain };
}
