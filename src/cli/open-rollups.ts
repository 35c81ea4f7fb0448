import type { Chain } from '../chain/chain.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { loadFamily } from '../rollup/family-table.ts';
import { isUrl, type RollupOptions } from '../rollup/options.ts';
import { recogniseFamily } from '../rollup/recognise-family.ts';
import type { FamilyRow, RollupFamily, RollupSources } from '../rollup/rollup-family.ts';
import type { RemoteNode } from '../upstream/open-node.ts';
import { type UpstreamOptions, upstreamsSchema } from '../upstream/options.ts';
import { RequestScope } from '../util/request-scope.ts';
import { LateChain } from './late-chain.ts';
import { type ChainBackends, openNodes } from './open-chain.ts';

/** How long nodes may take to show what they are, milliseconds. */
const RECOGNISE_LIMIT_MS = 10_000;

/** A rollup's family, and what its estimates are served under. */
export type OpenRollup = {
  readonly family: RollupFamily;
  readonly familyName: string;
  readonly prefix: string;
  /** What the family answers from. */
  readonly sources: RollupSources;
};

type Closable = { close(): Promise<void> };

/** The families of all rollups of a configuration, and the further nodes that they ask. */
export class Rollups {
  readonly #backends: ChainBackends;
  readonly #byNetwork = new Map<string, OpenRollup>();
  readonly #nodes: Closable[] = [];

  constructor(backends: ChainBackends) {
    this.#backends = backends;
  }

  get(network: string): OpenRollup | undefined {
    return this.#byNetwork.get(network);
  }

  /**
   * Opens the rollups among the networks. Chains that do not say their family are asked for it.
   * @throws Error naming the network that cannot be opened
   */
  async open(
    networks: Readonly<Record<string, NetworkOptions>>,
    chains: ReadonlyMap<string, Chain>,
  ): Promise<void> {
    const outcomes = await Promise.allSettled(
      Object.entries(networks).map(async ([name, { rollup, upstreams }]) => {
        if (rollup === undefined) return;
        const chain = chains.get(name) as Chain;
        const family = rollup.family ?? (await this.#recognise(name, chain));
        if (upstreams !== undefined && rollup.family !== undefined)
          void this.#warnIfOther(name, chain, family);
        const sources = await this.#findSources(chain, name, rollup, chains);
        this.#byNetwork.set(name, {
          familyName: family,
          family: openFamily(family, sources),
          sources,
          prefix: rollup.prefix ?? (await loadFamily(family)).prefix,
        });
      }),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  async #findSources(
    chain: Chain,
    network: string,
    { l1, opNode, mode, l1CostMode, messageService }: RollupOptions,
    chains: ReadonlyMap<string, Chain>,
  ): Promise<RollupSources> {
    return {
      chain,
      l1: l1 !== undefined && isUrl(l1) ? this.#openLayer1(network, l1) : chains.get(l1 ?? '')?.blocks,
      opNode: opNode === undefined ? undefined : await this.#openOpNode(opNode),
      mode,
      l1CostMode,
      messageService,
    };
  }

  /** Two numbers come from it: neither the start nor anything else waits for it. */
  #openLayer1(network: string, url: string): LateChain {
    const { log } = this.#backends;
    const chain = new LateChain(async () => {
      try {
        const name = `${network} (layer 1)`;
        return await openNodes(name, [readAddress(url)], this.#backends, { verify: 'off' });
      } catch (error) {
        log.warn({ network, err: error }, 'layer 1 cannot be asked');
        throw error;
      }
    });
    this.#nodes.push(chain);
    return chain;
  }

  async #openOpNode(url: string): Promise<RemoteNode> {
    // HTTP and WebSocket clients take 0.1 s to load.
    const { openNode } = await import('./node-parts.ts');
    const node = openNode(readAddress(url), this.#backends.nodeMemory);
    this.#nodes.push(node);
    return node;
  }

  /** @returns the family's name */
  async #recognise(network: string, chain: Chain): Promise<string> {
    const { log } = this.#backends;
    let row: FamilyRow | undefined;
    try {
      row = await recogniseAmongAll(chain);
    } catch (error) {
      throw new Error(
        `network ${network}: its rollup family cannot be asked for: ${(error as Error).message}`,
        { cause: error },
      );
    }
    if (row === undefined) {
      throw new Error(
        `network ${network}: its rollup family cannot be told from its chain: set rollup.family`,
      );
    }
    log.info({ network, family: row.name }, 'rollup family recognised');
    return row.name;
  }

  /** Says so when a chain seems to be of another family than the one that is configured; the configuration holds. */
  async #warnIfOther(network: string, chain: Chain, configured: string): Promise<void> {
    const { log } = this.#backends;
    try {
      const seen = await recogniseAmongAll(chain);
      if (seen === undefined || seen.name === configured) return;
      log.warn({ network, configured, recognised: seen.name }, 'the rollup looks like another family');
    } catch (error) {
      log.debug({ network, err: error }, 'the rollup family could not be looked at');
    }
  }
}

/** A family from a file that is loaded with the first request: at the start it would take 10 ms. */
function openFamily(name: string, sources: RollupSources): RollupFamily {
  let loading: Promise<RollupFamily> | undefined;
  const load = (): Promise<RollupFamily> => {
    loading ??= loadFamily(name).then((row) => row.create(sources));
    return loading;
  };
  return {
    estimateGas: async (request, scope) => (await load()).estimateGas(request, scope),
    info: async (scope) => (await load()).info(scope),
  };
}

/** An address as a row of `upstreams:`. */
function readAddress(url: string): UpstreamOptions {
  const [row] = upstreamsSchema.parse([url]);
  return row as UpstreamOptions;
}

async function recogniseAmongAll(chain: Chain): Promise<FamilyRow | undefined> {
  return recogniseFamily(chain, new RequestScope(performance.now() + RECOGNISE_LIMIT_MS));
}
