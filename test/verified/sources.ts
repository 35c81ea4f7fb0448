/** Nodes, before their answers are changed. */

import { isMembers } from '../../packages/proofs/members.ts';
import { startGeth } from '../geth/node/geth-node.ts';
import { GETH_SKIP } from '../geth/node/geth-program.ts';
import { executionApisChain } from '../geth/sides.ts';
import { readSamples } from '../packages/proofs/samples.ts';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { startService } from '../support/service.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { openAnvil } from './anvil-source.ts';
import { replaySample } from './recorded-source.ts';
import { isOfNode } from './run-true-nodes.ts';
import { rememberNode, type Truth } from './truth.ts';

export type Source = {
  readonly name: string;
  /** Reason why this machine lacks the source; false where it has it. */
  readonly skip: string | false;
  open(): Promise<Truth>;
};

/** Gas limit of that chain's head; calls are not compared here. */
const GAS_LIMIT = 0x4c4b40n;
const vectors = findVectors('execution-apis');

/** The built-in chain, executed in this process. */
export const DEVNET: Source = {
  name: 'devnet',
  skip: false,
  async open() {
    const service = await startService({ networks: { devnet: { hosts: ['localhost'], builtin: 'devnet' } } });
    return rememberNode('devnet', `http://${service.authority}/devnet/v3/demo`, () => service.close());
  },
};

const GETH: Source = {
  name: 'geth',
  skip: vectors === undefined ? SKIP_REASON : GETH_SKIP,
  async open() {
    const node = await startGeth({ ...executionApisChain(vectors as string), blockGasLimit: GAS_LIMIT });
    return rememberNode('geth', node.httpUrl, () => node.close());
  },
};

/** Number of a recorded block's transactions that are requested and changed. */
const MAX_TRANSACTIONS = 8;

/** Small recorded blocks, unaltered answers of nodes, of which everything recomputes. */
const RECORDED: readonly Source[] = (readSamples() ?? [])
  .filter((sample) => {
    const { header, transactions, receipts } = sample.expected;
    const list = isOfNode(sample) ? (sample.block['transactions'] as readonly unknown[]) : [];
    const isSmall = list.length > 0 && list.length <= MAX_TRANSACTIONS;
    const isNamed = list.every((each) => isMembers(each) && each['blockHash'] != null);
    return isSmall && isNamed && header === 'OK' && transactions === 'OK' && /^(OK|-)/.test(receipts);
  })
  .map((sample) => ({
    name: `recorded ${sample.name}`,
    skip: false,
    open: () => Promise.resolve(replaySample(sample)),
  }));

export const SOURCES: readonly Source[] = [
  DEVNET,
  { name: 'anvil', skip: ANVIL_SKIP, open: openAnvil },
  GETH,
  ...RECORDED,
];
