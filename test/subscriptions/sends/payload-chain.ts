/** Three geth nodes of one chain: the first builds its blocks from its pool, the last receives them late. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expectValid } from '../../geth/node/geth-node.ts';
import { createGenesis } from '../../support/test-chain.ts';
import { BLOCK_GAS_LIMIT } from '../chain/fork-chain.ts';
import { GethProcess } from '../nodes/geth-process.ts';

const BUILD_MS = 60;
const ZERO_HASH = `0x${'00'.repeat(32)}`;
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;

type Payload = {
  readonly blockHash: string;
  readonly timestamp: string;
  readonly transactions: readonly string[];
};

export class PayloadChain {
  readonly nodes: readonly GethProcess[];
  readonly genesisHash: string;
  /** Number of transactions in blocks. */
  included = 0;
  readonly #lag: number;
  /** Payloads of the chain; the last node lacks the last ones. */
  readonly #payloads: Payload[] = [];
  #head: { readonly hash: string; readonly timestamp: number };

  constructor(nodes: readonly GethProcess[], genesis: { hash: string; timestamp: string }, lag: number) {
    this.nodes = nodes;
    this.genesisHash = genesis.hash;
    this.#lag = lag;
    this.#head = { hash: genesis.hash, timestamp: Number(genesis.timestamp) };
  }

  /** @param accounts addresses with 100 ether each @param lag delay of the last node, in blocks */
  static async open(accounts: readonly string[], lag: number): Promise<PayloadChain> {
    const alloc = Object.fromEntries(accounts.map((account) => [account, { balance: `${10n ** 20n}` }]));
    const timestamp = `0x${Math.floor(Date.now() / 1_000).toString(16)}`;
    const text = createGenesis({ revision: 'shanghai', alloc, gasLimit: BLOCK_GAS_LIMIT });
    const genesisText = JSON.stringify({ ...JSON.parse(text), timestamp });
    const nodes = await Promise.all(
      (['ws', 'http', 'ws'] as const).map((transport) => GethProcess.start(genesisText, transport)),
    );
    const genesis = await ask(nodes[0] as GethProcess, 'eth_getBlockByNumber', ['0x0', false]);
    return new PayloadChain(nodes, genesis as { hash: string; timestamp: string }, lag);
  }

  get height(): number {
    return this.#payloads.length;
  }

  /** Builds the next block, and delivers to each node the block that is due. */
  async grow(): Promise<void> {
    const [builder, ...others] = this.nodes as [GethProcess, ...GethProcess[]];
    const timestamp = Math.max(this.#head.timestamp + 1, Math.floor(Date.now() / 1_000));
    const attributes = {
      timestamp: `0x${timestamp.toString(16)}`,
      prevRandao: ZERO_HASH,
      suggestedFeeRecipient: ZERO_ADDRESS,
      withdrawals: [],
    };
    const begun = await setHead(builder, this.#head.hash, attributes);
    await sleep(BUILD_MS);
    const built = await builder.askEngine('engine_getPayloadV2', [begun.payloadId]);
    const payload = (built as { readonly executionPayload: Payload }).executionPayload;
    this.#payloads.push(payload);
    this.included += payload.transactions.length;
    this.#head = { hash: payload.blockHash, timestamp };
    const late = this.#payloads.at(-1 - this.#lag);
    const last = others.length - 1;
    await Promise.all([
      give(builder, payload),
      ...others.map((node, at) => (at < last ? give(node, payload) : late && give(node, late))),
    ]);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.dispose()));
  }
}

async function give(node: GethProcess, payload: Payload): Promise<void> {
  expectValid(await node.askEngine('engine_newPayloadV2', [payload]));
  await setHead(node, payload.blockHash, null);
}

async function setHead(
  node: GethProcess,
  hash: string,
  attributes: object | null,
): Promise<{ readonly payloadId: string }> {
  const state = { headBlockHash: hash, safeBlockHash: ZERO_HASH, finalizedBlockHash: ZERO_HASH };
  const result = await node.askEngine('engine_forkchoiceUpdatedV2', [state, attributes]);
  expectValid(result);
  return result as { readonly payloadId: string };
}

async function ask(node: GethProcess, method: string, params: readonly unknown[]): Promise<unknown> {
  return node.askEngine(method, params);
}
