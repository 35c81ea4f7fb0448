import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { encodeAttributes, type L1Facts } from '../contracts/op-stack/attributes.ts';
import { L1_BLOCK } from '../contracts/op-stack/l1-block.ts';
import { ALICE, BOB, CAROL, DAVE, DEPOSITOR, labelAddress } from './accounts.ts';
import { callReverter, deployHelpersAndSpreadTokens, deployTokenAndReverter, transfer } from './actions.ts';
import { type BlockPlan, ChainBuilder } from './chain-builder.ts';
import type { DevelopmentChain } from './development-chain.ts';
import { EXTRA_DATA, renderOpRollupGenesis } from './op-rollup-genesis.ts';
import { BLOCK_SECONDS, Origins } from './origins.ts';
import { APPROVALS, FAILURES, HEAD, send, TRANSFERS } from './rollup-plans.ts';
import type { Fees, TransactionPlan } from './transaction-plan.ts';

const SEQUENCER: Uint8Array = labelAddress('op sequencer');
const ATTRIBUTES_GAS = 250_000n;

/** Fees in wei. */
const FEES: Fees = {
  gasPrice: 1_000_007n,
  maxFeePerGas: 2_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  maxFeePerBlobGas: 0n,
};

/** Contents of the blocks beside the first transaction of each. */
const PLANS: readonly BlockPlan[] = [
  { shows: 'the ERC-20 and the reverter are created', transactions: deployTokenAndReverter() },
  {
    shows: 'callenv and the delegate are created, ERC-20 transfers',
    transactions: deployHelpersAndSpreadTokens(),
  },
  { shows: 'nothing but layer 1' },
  TRANSFERS,
  APPROVALS,
  { shows: 'nothing but layer 1: its next block is the origin from here on' },
  FAILURES,
  { shows: 'storage is written', transactions: [send(callReverter(CAROL, 'write(uint256)', 59n))] },
  { shows: 'a transfer of nothing', transactions: [send(transfer(ALICE, ALICE.address, 0n))] },
  { shows: 'plain transfers', transactions: [ALICE, BOB].map((from) => transfer(from, DAVE.address, 1n)) },
  { shows: 'nothing but layer 1' },
  { shows: 'nothing but layer 1: its next block is the origin from here on' },
  { shows: 'storage is cleared', transactions: [send(callReverter(CAROL, 'write(uint256)', 0n))] },
  HEAD,
];

/** Plans the first transaction of every block, which sets the values of layer 1 as of that block. */
function tellAttributes(facts: L1Facts): TransactionPlan {
  const data = encodeAttributes(facts);
  return { from: DEPOSITOR, to: hexToBytes(L1_BLOCK), data, gasLimit: ATTRIBUTES_GAS, type: 2 };
}

/** Builds a layer 2 with the pricing of the OP Stack's chains, above this layer 1. */
export async function buildOpRollup(layer1: DevelopmentChain): Promise<DevelopmentChain> {
  const origins = new Origins(layer1);
  const genesis = renderOpRollupGenesis(origins);
  const timeOf = (number: number): bigint => origins.start + BigInt(number) * BLOCK_SECONDS;
  const plans = PLANS.map(({ shows, transactions = [] }, i) => ({
    shows,
    transactions: [tellAttributes(origins.factsAt(timeOf(i + 1))), ...transactions],
  }));
  const builder = new ChainBuilder(genesis, {
    fees: FEES,
    headerOf: (number) => ({
      timestamp: timeOf(Number(number)),
      beneficiary: SEQUENCER,
      extraData: EXTRA_DATA,
    }),
  });
  for (const plan of plans) await builder.append(plan);
  return { genesis, plans, blocks: builder.chain };
}
