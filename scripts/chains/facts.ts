import type { Header } from '../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { parseLineaExtraData } from '../../src/rollup/linea/extra-data.ts';
import { GAS_PRICE_ORACLE } from '../contracts/op-stack/gas-price-oracle.ts';
import { L1_BLOCK } from '../contracts/op-stack/l1-block.ts';
import { ACCOUNTS, ALICE, BOB } from './accounts.ts';
import { TOKEN } from './actions.ts';
import { CALLENV, DELEGATE, ERC20, FACTORY, LOGGER, REVERTER } from './addresses.ts';
import type { DevelopmentChain, DevelopmentChains } from './development-chain.ts';
import { DEPOSIT_CONTRACT, DEVNET_CHAIN_ID, MERGE_BLOCK } from './devnet-genesis.ts';
import { encodeCall } from './encode-call.ts';
import { OP_ROLLUP_CHAIN_ID } from './op-rollup-genesis.ts';
import { Origins } from './origins.ts';
import { MESSAGE_SERVICE, ROLLUP_CHAIN_ID } from './rollup.ts';

type CallExample = { readonly from?: string; readonly to: string; readonly data: string };

/** Facts that users of any of the chains refer to. Addresses, hashes and data are hex, the rest numbers. */
type CommonFacts = {
  readonly chainId: number;
  readonly genesisHash: string;
  readonly headNumber: number;
  readonly headHash: string;
  readonly erc20: string;
  readonly reverter: string;
  readonly callenv: string;
  readonly delegate: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly address: string;
    readonly privateKey: string;
  }[];
  /** Example call objects: one reads, one would write, one reverts. */
  readonly calls: {
    readonly tokenBalance: CallExample;
    readonly tokenTransfer: CallExample;
    readonly revert: CallExample;
  };
};

export type Facts = {
  readonly devnet: CommonFacts & {
    readonly logger: string;
    readonly factory: string;
    readonly depositContract: string;
    /** First proof-of-stake block. */
    readonly mergeBlock: number;
    /** The last block with two uncles. */
    readonly uncleBlock: number;
    /** The last block with a transaction of every type, 0 to 4. */
    readonly everyTypeBlock: number;
  };
  readonly rollup: CommonFacts & {
    readonly messageService: string;
    readonly lastAnchoredL1MessageNumber: number;
    /** Prices in the head's extra data, wei. */
    readonly pricing: {
      readonly fixedCost: number;
      readonly variableCost: number;
      readonly ethGasPrice: number;
    };
  };
  readonly 'op-rollup': CommonFacts & {
    readonly l1Block: string;
    readonly gasPriceOracle: string;
    /** Number of the devnet block that the head is made from. */
    readonly originNumber: number;
    readonly originTimestamp: number;
  };
};

function describeCommon(chainId: number, { blocks }: DevelopmentChain): CommonFacts {
  const hashAt = (index: number): string => bytesToHex(blocks.at(index)?.hash as Uint8Array);
  const [erc20, reverter] = [bytesToHex(ERC20), bytesToHex(REVERTER)];
  const call = (to: string, data: Uint8Array): CallExample => ({ to, data: bytesToHex(data) });
  const transfer = encodeCall('transfer(address,uint256)', BOB.address, TOKEN);
  return {
    chainId,
    genesisHash: hashAt(0),
    headNumber: blocks.length - 1,
    headHash: hashAt(-1),
    erc20,
    reverter,
    callenv: bytesToHex(CALLENV),
    delegate: bytesToHex(DELEGATE),
    accounts: ACCOUNTS.map(({ name, address, privateKey }) => ({
      name,
      address: bytesToHex(address),
      privateKey: bytesToHex(privateKey),
    })),
    calls: {
      tokenBalance: call(erc20, encodeCall('balanceOf(address)', ALICE.address)),
      tokenTransfer: { from: bytesToHex(ALICE.address), ...call(erc20, transfer) },
      revert: call(reverter, encodeCall('revertString()')),
    },
  };
}

/** Returns the last anchored number, from the last event of the message service. */
function findLastAnchored({ blocks }: DevelopmentChain): number {
  const logs = blocks.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs));
  const service = bytesToHex(MESSAGE_SERVICE);
  const topic = logs.findLast(({ address }) => bytesToHex(address) === service)?.topics[1];
  return Number(bytesToHex(topic as Uint8Array));
}

function readPricing({ blocks }: DevelopmentChain): Facts['rollup']['pricing'] {
  const extraData = blocks.at(-1)?.block.header.extraData as Uint8Array;
  const pricing = parseLineaExtraData(bytesToHex(extraData));
  if (pricing === undefined) throw new Error("the head's extra data has no prices");
  const { fixedCost, variableCost, ethGasPrice } = pricing;
  return {
    fixedCost: Number(fixedCost),
    variableCost: Number(variableCost),
    ethGasPrice: Number(ethGasPrice),
  };
}

/** Returns the layer 1 block that the head is made from. */
function findOrigin(
  layer1: DevelopmentChain,
  { blocks }: DevelopmentChain,
): { originNumber: number; originTimestamp: number } {
  const head = blocks.at(-1)?.block.header as Header;
  const { number, timestamp } = new Origins(layer1).factsAt(head.timestamp);
  return { originNumber: Number(number), originTimestamp: Number(timestamp) };
}

export function describeChains({ devnet, rollup, 'op-rollup': opRollup }: DevelopmentChains): Facts {
  const bodies = devnet.blocks.map(({ block }) => block);
  return {
    devnet: {
      ...describeCommon(DEVNET_CHAIN_ID, devnet),
      logger: bytesToHex(LOGGER),
      factory: bytesToHex(FACTORY),
      depositContract: bytesToHex(DEPOSIT_CONTRACT),
      mergeBlock: Number(MERGE_BLOCK),
      uncleBlock: bodies.findLastIndex(({ uncles }) => uncles.length === 2),
      everyTypeBlock: bodies.findLastIndex(
        ({ transactions }) => new Set(transactions.map(({ type }) => type)).size === 5,
      ),
    },
    rollup: {
      ...describeCommon(ROLLUP_CHAIN_ID, rollup),
      messageService: bytesToHex(MESSAGE_SERVICE),
      lastAnchoredL1MessageNumber: findLastAnchored(rollup),
      pricing: readPricing(rollup),
    },
    'op-rollup': {
      ...describeCommon(OP_ROLLUP_CHAIN_ID, opRollup),
      l1Block: L1_BLOCK,
      gasPriceOracle: GAS_PRICE_ORACLE,
      ...findOrigin(devnet, opRollup),
    },
  };
}
