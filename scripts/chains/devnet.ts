import { DAO_EXTRA_DATA, DAO_EXTRA_DATA_BLOCKS } from '../../packages/evm/transition/dao-fork.ts';
import { labelAddress } from './accounts.ts';
import { type BlockPlan, ChainBuilder } from './chain-builder.ts';
import type { DevelopmentChain } from './development-chain.ts';
import { AMSTERDAM_BLOCKS } from './devnet-amsterdam.ts';
import { BYZANTIUM_BLOCKS } from './devnet-byzantium.ts';
import { FRONTIER_BLOCKS } from './devnet-frontier.ts';
import { DAO_FORK_BLOCK, MERGE_BLOCK, renderDevnetGenesis, timestampOf } from './devnet-genesis.ts';
import { PARIS_BLOCKS } from './devnet-paris.ts';
import { PRAGUE_BLOCKS } from './devnet-prague.ts';
import type { Fees } from './transaction-plan.ts';

/** Fees in wei. */
export const DEVNET_FEES: Fees = {
  gasPrice: 3_000_000_000n,
  maxFeePerGas: 4_000_000_000n,
  maxPriorityFeePerGas: 100_000_000n,
  maxFeePerBlobGas: 1_000n,
};

const MINERS: readonly Uint8Array[] = ['north', 'south', 'east'].map((name) => labelAddress(`miner ${name}`));
const FEE_RECIPIENT: Uint8Array = labelAddress('fee recipient');
const EXTRA_DATA: Uint8Array = new TextEncoder().encode('portcullis');

function beneficiaryOf(number: bigint): Uint8Array {
  return number < MERGE_BLOCK ? (MINERS[Number(number) % MINERS.length] as Uint8Array) : FEE_RECIPIENT;
}

function extraDataOf(number: bigint): Uint8Array {
  const isMarked = number >= DAO_FORK_BLOCK && number < DAO_FORK_BLOCK + DAO_EXTRA_DATA_BLOCKS;
  return isMarked ? DAO_EXTRA_DATA : EXTRA_DATA;
}

/** Builds a layer 1 that goes through every fork from Frontier to Amsterdam. */
export async function buildDevnet(): Promise<DevelopmentChain> {
  const genesis = renderDevnetGenesis();
  const plans: readonly BlockPlan[] = [
    ...FRONTIER_BLOCKS,
    ...BYZANTIUM_BLOCKS,
    ...PARIS_BLOCKS,
    ...PRAGUE_BLOCKS,
    ...AMSTERDAM_BLOCKS,
  ];
  const builder = new ChainBuilder(genesis, {
    fees: DEVNET_FEES,
    headerOf: (number) => ({
      timestamp: timestampOf(number),
      beneficiary: beneficiaryOf(number),
      extraData: extraDataOf(number),
    }),
  });
  for (const plan of plans) await builder.append(plan);
  return { genesis, plans, blocks: builder.chain };
}
