/** The nodes of the soak bench: three geth on one chain with a moving head, or the prepared ones of the proxy bench. */
import { GETH_SKIP } from '../../../test/geth/node/geth-program.ts';
import { Random } from '../../../test/geth/requests/random.ts';
import { ForkChain } from '../../../test/subscriptions/chain/fork-chain.ts';
import { GethProcess } from '../../../test/subscriptions/nodes/geth-process.ts';
import { Nodes } from '../proxy/nodes.ts';

export type ChainNodes = {
  readonly description: string;
  readonly urls: readonly string[];
  /** Settings of the network in front of the nodes. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly stop: () => Promise<void>;
};

const COUNT = 3;
const CHAIN_ID = 1337;
const FIRST_BLOCKS = 64;
/** Calls per block, so that every block has receipts and logs. */
const LEAST_CALLS = 2;
const BLOCK_MS = 2_000;

/** `auto` means geth where installed. */
const KINDS = ['auto', 'geth', 'prepared'] as const;
type NodesKind = (typeof KINDS)[number];

/**
 * @param text value of the option `--nodes`
 * @throws Error on an unknown value
 */
export function readNodesKind(text: string): NodesKind {
  const kind = KINDS.find((each) => each === text);
  if (kind === undefined) throw new Error(`--nodes ${text}: ${KINDS.join(', ')} are known`);
  return kind;
}

export async function startChainNodes(kind: NodesKind): Promise<ChainNodes> {
  if (kind === 'geth' && GETH_SKIP !== false) throw new Error(GETH_SKIP);
  if (kind !== 'prepared' && GETH_SKIP === false) return startGeths();
  const nodes = await Nodes.start(COUNT);
  const reason = kind === 'prepared' ? 'as asked for' : GETH_SKIP;
  return {
    description: `${COUNT} stand-in nodes with prepared answers, no real ones (${reason})`,
    urls: nodes.urls,
    settings: {},
    stop: async () => nodes.stop(),
  };
}

async function startGeths(): Promise<ChainNodes> {
  const chain = new ForkChain(new Random(1, 0), LEAST_CALLS);
  const nodes: GethProcess[] = [];
  const stopAll = async (): Promise<void> => {
    for (const node of nodes) await node.dispose();
  };
  try {
    const first = chain.extend(chain.genesis, FIRST_BLOCKS);
    for (let index = 0; index < COUNT; index++) {
      const node = await GethProcess.start(chain.genesisText, 'http');
      nodes.push(node);
      await node.deliver(first);
    }
  } catch (error) {
    await stopAll();
    throw error;
  }
  let moving: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    moving = moving
      .then(async () => {
        const head = chain.extend(chain.head, 1);
        for (const node of nodes) await node.deliver(head);
      })
      .catch((error: Error) => console.error(`no new head: ${error.message}`));
  }, BLOCK_MS);
  return {
    description: `${COUNT} geth`,
    urls: nodes.map(({ url }) => url),
    settings: { verify: 'auto', pool: { chainId: CHAIN_ID, genesisHash: chain.genesis.hash } },
    async stop() {
      clearInterval(timer);
      await moving;
      await stopAll();
    },
  };
}
