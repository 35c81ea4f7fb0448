import type { BlockReads, Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { RemoteNode } from '../pool/open-node.ts';
import { type UpstreamOptions, upstreamsSchema } from '../pool/options.ts';
import { loadFamily } from '../rollup/family-table.ts';
import { isUrl, type RollupOptions } from '../rollup/options.ts';
import type { FamilyRow, RollupFamily, RollupSources } from '../rollup/rollup-family.ts';
import { findWireNames, type WireNames } from '../rollup/wire-names.ts';
import { completeWithin } from '../util/complete-within.ts';
import { RequestScope } from '../util/request-scope.ts';
import type { EstimateComparisons } from './estimate-comparisons.ts';
import { type ChainBackends, type ObservedChain, openNodes } from './open-chain.ts';

type Layer1 = { readonly blocks: Pick<BlockReads, 'getHeader'> };

/** Wraps layer 1, so that its errors report layer 1 as unreachable, not the rollup's nodes. */
function readLayer1(layer1: Layer1 | Promise<Layer1>): Layer1['blocks'] {
  return {
    async getHeader(block, scope) {
      try {
        return await (await layer1).blocks.getHeader(block, scope);
      } catch (error) {
        // The messages of `aborted` and `busy` already say which limit was reached.
        if (!(error instanceof ChainError) || error.kind === 'aborted' || error.kind === 'busy') throw error;
        throw new ChainError(error.kind, `layer 1 is not available: ${error.message}`);
      }
    },
  };
}

/** Time limit for examining a chain whose family is configured, ms. */
const LOOK_LIMIT_MS = 10_000;
/** Maximum time that opening a network waits for the family, ms; nodes usually take a tenth of that time. */
const OPEN_LIMIT_MS = 500;

/** Family of a rollup, and the names of its estimate methods. */
export type OpenRollup = {
  readonly family: RollupFamily;
  /** The name is undefined until the family is recognised. */
  readonly familyName: string | undefined;
  /** Prefixes of the rollup's methods, the main prefix first. The list is undefined until the configuration or the family provides the prefixes. */
  readonly prefixes: readonly string[] | undefined;
  /** Names of the estimate methods that nodes of the family serve; undefined until the family is recognised. */
  readonly nodeEstimates: readonly string[] | undefined;
  /** Chains and nodes from which the family reads its answers. */
  readonly sources: RollupSources;
};

type Closable = { close(): Promise<void> | void };

/** Families of all rollups of a configuration, and the additional nodes that the rollups use. */
export class Rollups {
  readonly #backends: ChainBackends;
  readonly #byNetwork = new Map<string, OpenRollup>();
  readonly #opened: Closable[] = [];

  constructor(backends: ChainBackends) {
    this.#backends = backends;
  }

  get(network: string): OpenRollup | undefined {
    return this.#byNetwork.get(network);
  }

  /** Opens the rollups among the networks. A family that is not configured is recognised in the background. */
  async open(
    networks: Readonly<Record<string, NetworkOptions>>,
    chains: ReadonlyMap<string, Chain>,
  ): Promise<void> {
    await Promise.all(
      Object.entries(networks).map(async ([name, { rollup, upstreams }]) => {
        const chain = chains.get(name);
        if (rollup === undefined || chain === undefined) return;
        const sources = await this.#findSources(chain, name, rollup, chains);
        const comparisons = upstreams && (await this.#openComparisons(name, chain));
        if (rollup.family === undefined) {
          this.#byNetwork.set(name, await this.#recognise(name, rollup, sources, comparisons));
          return;
        }
        const { family, prefix } = rollup;
        if (upstreams !== undefined) void this.#warnIfOther(name, sources, family);
        const names = findWireNames(family);
        this.#byNetwork.set(name, {
          familyName: family,
          family: openFamily(() => loadFamily(family), sources, comparisons),
          sources,
          prefixes: prefix === undefined ? names.prefixes : [prefix],
          nodeEstimates: names.nodeEstimates,
        });
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((opened) => opened.close()));
  }

  async #recognise(
    network: string,
    { prefix }: RollupOptions,
    sources: RollupSources,
    comparisons: EstimateComparisons | undefined,
  ): Promise<OpenRollup> {
    const { chain } = sources;
    // Loaded on demand: most rollups have a configured family.
    const { FamilyRecognition } = await import('./node-parts.ts');
    const recognition = new FamilyRecognition({ network, chain, log: this.#backends.log });
    this.#opened.push(recognition);
    const find = (scope: RequestScope): Promise<FamilyRow> => recognition.find(scope);
    const firstAttempt = find(new RequestScope(performance.now() + OPEN_LIMIT_MS)).catch(() => {});
    // Without a head, the family of the network cannot be recognised.
    if (chain.isAnswerable) await completeWithin(firstAttempt, OPEN_LIMIT_MS);
    return {
      get familyName() {
        return recognition.known?.name;
      },
      get prefixes() {
        return prefix === undefined ? findKnownNames(recognition.known)?.prefixes : [prefix];
      },
      get nodeEstimates() {
        return findKnownNames(recognition.known)?.nodeEstimates;
      },
      family: {
        ...openFamily(find, sources, comparisons),
        recognise: async (scope) => void (await find(scope)),
      },
      sources,
    };
  }

  /** Only networks of nodes compare the nodes' own estimates with the fallback, because an embedded chain has no nodes. */
  async #openComparisons(network: string, chain: Chain): Promise<EstimateComparisons> {
    const { EstimateComparisons } = await import('./node-parts.ts');
    const comparisons = new EstimateComparisons({ network, chain, log: this.#backends.log });
    this.#opened.push(comparisons);
    return comparisons;
  }

  async #findSources(
    chain: Chain,
    network: string,
    { l1, opNode, mode, l1CostMode, messageService }: RollupOptions,
    chains: ReadonlyMap<string, Chain>,
  ): Promise<RollupSources> {
    const layer1 = l1 !== undefined && isUrl(l1) ? this.#openLayer1(network, l1) : chains.get(l1 ?? '');
    return {
      chain,
      l1: layer1 && readLayer1(layer1),
      opNode: opNode === undefined ? undefined : await this.#openOpNode(opNode),
      mode,
      l1CostMode,
      messageService,
    };
  }

  /** Opens layer 1 in the background, because rollups read only two numbers from it. */
  #openLayer1(network: string, url: string): Promise<ObservedChain> {
    const name = `${network} (layer 1)`;
    const opening = openNodes(name, [readAddress(url)], this.#backends, { verify: 'off' });
    this.#opened.push({ close: async () => (await opening).close() });
    return opening;
  }

  async #openOpNode(url: string): Promise<RemoteNode> {
    // Loaded on demand, because the HTTP and WebSocket clients take 0.1 s to load.
    const { openNode } = await import('./node-parts.ts');
    const node = openNode(readAddress(url), this.#backends.nodeMemory);
    this.#opened.push(node);
    return node;
  }

  /** Logs a warning if a chain looks like another family than the configured one; the configured family applies. */
  async #warnIfOther(network: string, { chain }: RollupSources, configured: string): Promise<void> {
    const { log } = this.#backends;
    try {
      const { listSeen, noteUnknownFork, recogniseFamily } = await import('./node-parts.ts');
      const scope = new RequestScope(performance.now() + LOOK_LIMIT_MS);
      await noteUnknownFork(network, chain, await loadFamily(configured), scope, log);
      const seen = await recogniseFamily(chain, scope);
      if (seen.row === undefined || seen.row.name === configured) return;
      log.warn(
        { network, configured, recognised: seen.row.name, evidence: listSeen(seen) },
        'the rollup looks like another family',
      );
    } catch (error) {
      log.debug({ network, err: error }, 'the rollup family could not be detected');
    }
  }
}

function findKnownNames(row: FamilyRow | undefined): WireNames | undefined {
  return row && findWireNames(row.name);
}

/** Creates a family on the first request, because its file takes 10 ms to load. @param find resolves the table row of the family */
function openFamily(
  find: (scope: RequestScope) => Promise<FamilyRow>,
  sources: RollupSources,
  comparisons: EstimateComparisons | undefined,
): RollupFamily {
  let made: RollupFamily | undefined;
  const make = async (scope: RequestScope): Promise<RollupFamily> => {
    if (made !== undefined) return made;
    const row = await find(scope);
    made ??= row.create({ ...sources, noteNative: (compare) => comparisons?.note(row.name, compare) });
    return made;
  };
  return {
    estimateGas: async (request, scope) => (await make(scope)).estimateGas(request, scope),
    info: async (scope) => (await make(scope)).info(scope),
  };
}

/** Parses a URL as a row of `upstreams:`. */
export function readAddress(url: string): UpstreamOptions {
  const [row] = upstreamsSchema.parse([url]);
  return row as UpstreamOptions;
}
