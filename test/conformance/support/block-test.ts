/** Runs one case of the blockchain test format of ethereum/tests. */
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { BranchingChain } from './branching-chain.ts';
import { parseState, type StateJson } from './flat-state.ts';
import { computeStateRoot } from './state-root.ts';

export type BlockTestJson = {
  readonly network: string;
  readonly genesisBlockHeader: Readonly<Record<string, string>>;
  readonly pre: StateJson;
  readonly blocks: readonly { readonly rlp: string; readonly expectException?: string }[];
  readonly lastblockhash: string;
  readonly postState?: StateJson;
  /** Present instead of a large `postState`. */
  readonly postStateHash?: string;
};

const BLOCK_FORKS = [
  'homestead',
  'eip150',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
];

function upTo(last: string): Record<string, number> {
  const forks = BLOCK_FORKS.slice(0, BLOCK_FORKS.indexOf(last) + 1);
  return { chainId: 1, ...Object.fromEntries(forks.map((fork) => [`${fork}Block`, 0])) };
}

const MERGED = { ...upTo('grayGlacier'), terminalTotalDifficulty: 0 };

const NETWORKS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Istanbul: upTo('istanbul'),
  Berlin: upTo('berlin'),
  London: upTo('london'),
  Paris: MERGED,
  Shanghai: { ...MERGED, shanghaiTime: 0 },
  Cancun: { ...MERGED, shanghaiTime: 0, cancunTime: 0 },
  FrontierToHomesteadAt5: { chainId: 1, homesteadBlock: 5 },
  HomesteadToDaoAt5: { chainId: 1, homesteadBlock: 0, daoForkBlock: 5, daoForkSupport: true },
  ByzantiumToConstantinopleFixAt5: { ...upTo('byzantium'), constantinopleBlock: 5, petersburgBlock: 5 },
  BerlinToLondonAt5: { ...upTo('berlin'), londonBlock: 5 },
  ArrowGlacierToParisAtDiffC0000: { ...upTo('arrowGlacier'), terminalTotalDifficulty: 0xc0000 },
  ParisToShanghaiAtTime15k: { ...MERGED, shanghaiTime: 15_000 },
};

/** Imports every block of a case, on any branch. @returns the differences from the file */
export async function runBlockTest(json: BlockTestJson): Promise<readonly string[]> {
  const config = NETWORKS[json.network];
  if (config === undefined) return [`the network ${json.network} is not known`];
  const chain = BranchingChain.open({ ...json.genesisBlockHeader, alloc: json.pre }, config);
  try {
    const differences: string[] = [];
    const { hash: genesisHash } = json.genesisBlockHeader;
    if (chain.head.hash !== genesisHash) differences.push(`genesis ${chain.head.hash}, not ${genesisHash}`);
    for (const [index, { rlp, expectException }] of json.blocks.entries()) {
      const refusal = await chain.import(hexToBytes(rlp));
      if (expectException === undefined && refusal !== undefined) {
        differences.push(`block ${index} was refused: ${refusal}`);
      }
      if (expectException !== undefined && refusal === undefined) {
        differences.push(`block ${index} was taken in spite of ${expectException}`);
      }
    }
    return [...differences, ...compareHead(chain.head, json)];
  } finally {
    await chain.close();
  }
}

function compareHead({ hash, stateRoot }: BranchingChain['head'], json: BlockTestJson): string[] {
  const differences: string[] = [];
  if (hash !== json.lastblockhash) differences.push(`head ${hash} instead of ${json.lastblockhash}`);
  const want =
    json.postState === undefined
      ? json.postStateHash
      : bytesToHex(computeStateRoot(parseState(json.postState)));
  const have = bytesToHex(stateRoot);
  if (have !== want) differences.push(`state root ${have} instead of ${want}`);
  return differences;
}
