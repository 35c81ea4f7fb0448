import type { JsonObject } from '../rpc/codec/codec.ts';
import type { Trust } from '../util/request-scope.ts';
import type { BlockArgument } from './arguments.ts';
import type { GatewayClient } from './gateway-client.ts';
import { ToolError } from './tool-error.ts';

/** Block at which a tool answers. `hash` is null for a pending block. */
export type StampedBlock = {
  readonly number: bigint;
  readonly hash: string | null;
  readonly time: string;
  /** Parameter that names exactly this block in further requests of the tool. */
  readonly param: string;
  /** The block as the gateway returned it, with hashes in place of transactions. */
  readonly header: JsonObject;
};

/** Trust levels, the lowest first. */
const LEVELS: readonly Trust[] = ['single', 'agreed', 'proven'];

/** Default block of all tools. */
export const HEAD_BLOCK: BlockArgument = { kind: 'tag', text: 'latest' };

/** One call of a tool: its requests to one network, the lowest trust of their answers, and the block at which they are answered. */
export class ToolRun {
  readonly network: string;
  readonly signal: AbortSignal;
  readonly #client: GatewayClient;
  readonly #methods: readonly string[];
  #trust: Trust | undefined;
  #block: StampedBlock | undefined;

  /** @param methods the methods that the tool may request; `*` allows every method */
  constructor(network: string, client: GatewayClient, methods: readonly string[], signal: AbortSignal) {
    this.network = network;
    this.signal = signal;
    this.#client = client;
    this.#methods = methods;
  }

  /**
   * Sends a request to the network.
   * @throws GatewayRefusal for an error of the gateway
   */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    if (!this.#methods.includes(method) && !this.#methods.includes('*'))
      throw new Error(`the tool does not list ${method}`);
    const { result, trust } = await this.#client.request(method, params, this.signal);
    if (trust !== undefined && (this.#trust === undefined || rank(trust) < rank(this.#trust)))
      this.#trust = trust;
    return result;
  }

  /**
   * Requests a block, and records it as the block of the answer. Later requests name it by its hash, so that all parts of the answer are of one
   * block.
   * @throws ToolError if the chain has no such block
   */
  async stamp({ kind, text }: BlockArgument = HEAD_BLOCK): Promise<StampedBlock> {
    const method = kind === 'hash' ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
    const header = (await this.request(method, [text, false])) as JsonObject | null;
    if (header === null) throw new ToolError(`network ${this.network} has no block ${text}`);
    if (typeof header['number'] !== 'string')
      throw new ToolError('the gateway returned a block without a number');
    const hash = typeof header['hash'] === 'string' ? header['hash'] : null;
    const number = BigInt(header['number']);
    const time = new Date(Number(BigInt(header['timestamp'] as string)) * 1_000).toISOString();
    const block = { number, hash, time, param: hash ?? text, header };
    this.#block = block;
    return block;
  }

  /** Returns the members with which every answer of a tool begins. */
  describe(): JsonObject {
    return {
      network: this.network,
      ...(this.#block !== undefined && {
        block: { number: Number(this.#block.number), hash: this.#block.hash, time: this.#block.time },
      }),
      trust: this.#trust ?? 'unmarked',
    };
  }
}

function rank(trust: Trust): number {
  return LEVELS.indexOf(trust);
}
