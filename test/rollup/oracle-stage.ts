/** A node with the contracts of a rollup, and the service in front of it. */
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type Estimate, type OracleCall, padWord, toQuantity } from './oracle-transactions.ts';

/** Above the node's default gas limit: oracles that read every byte take some 350 gas per byte. */
const ORACLE_GAS = 200_000_000;

export type OracleStageOptions = {
  readonly chainId: number;
  /** Address of the contract that prices transactions. */
  readonly oracle: string;
  /** Creation code by address; running it returns the contract's code. */
  readonly creations?: Readonly<Record<string, string>>;
  /** Runtime code by address. */
  readonly codes?: Readonly<Record<string, string>>;
  /** Slots by address. */
  readonly storage: Readonly<Record<string, ReadonlyMap<number, bigint>>>;
  readonly args?: readonly string[];
};

export function encodeBytes(selector: string, bytes: string): string {
  const length = (bytes.length - 2) / 2;
  return `${selector}${padWord(32n).slice(2)}${padWord(BigInt(length)).slice(2)}${bytes.slice(2).padEnd(Math.ceil(length / 32) * 64, '0')}`;
}

export class OracleStage {
  readonly #node: Anvil;
  readonly #service: RunningService;
  readonly #oracle: string;

  constructor(node: Anvil, service: RunningService, oracle: string) {
    this.#node = node;
    this.#service = service;
    this.#oracle = oracle;
  }

  static async open({
    chainId,
    oracle,
    creations = {},
    codes = {},
    storage,
    args = [],
  }: OracleStageOptions): Promise<OracleStage> {
    const node = await startAnvil({ args: ['--chain-id', `${chainId}`, '--hardfork', 'prague', ...args] });
    try {
      for (const [address, code] of Object.entries(codes)) await node.request('anvil_setCode', address, code);
      for (const [address, creation] of Object.entries(creations)) {
        const code = await node.request('eth_call', { data: creation }, 'latest');
        await node.request('anvil_setCode', address, code);
      }
      for (const [address, slots] of Object.entries(storage))
        for (const [slot, value] of slots)
          await node.request('anvil_setStorageAt', address, padWord(BigInt(slot)), padWord(value));
      await node.request('anvil_mine', '0x1');
      const network = {
        hosts: ['rollup.localhost'],
        upstreams: [node.httpUrl],
        verify: 'off' as const,
        rollup: {},
      };
      const service = await startService({ networks: { rollup: network }, defaultNetwork: 'rollup' });
      return new OracleStage(node, service, oracle);
    } catch (error) {
      await node.kill();
      throw error;
    }
  }

  /** @param method estimate method of a family; its prefix is served when the node is recognised as that family */
  async estimate(method: string, call: OracleCall): Promise<Estimate> {
    const response = await fetch(`http://${this.#service.authority}/v3/demo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [call] }),
    });
    const { result, error } = (await response.json()) as { result?: Estimate; error?: { message: string } };
    if (result === undefined) throw new Error(error?.message);
    return result;
  }

  /** Calls a contract, the oracle by default. @returns the word that it returns; undefined when it reverts */
  async ask(data: string, to: string = this.#oracle): Promise<bigint | undefined> {
    const params = [{ to, data, gas: toQuantity(ORACLE_GAS) }, 'latest'];
    return (this.#node.request('eth_call', ...params) as Promise<string>).then(BigInt, () => undefined);
  }

  async close(): Promise<void> {
    await this.#service.close();
    await this.#node.kill();
  }
}
