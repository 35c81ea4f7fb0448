import { READ_METHODS } from '../chains/upstream/read-methods.ts';
import type { Config } from '../config/config.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { servesDevelopment } from '../config/served-methods.ts';
import { NetworkRegistry } from '../gateway/network-registry.ts';
import type { DevelopmentRule } from '../methods/development-access.ts';
import { findDevelopmentLabel } from '../methods/development-methods.ts';
import { Filters } from '../methods/filters/filters.ts';
import type { Network } from '../methods/network.ts';
import { NetworkMethods } from '../methods/network-methods.ts';
import { findPassedNamespace } from '../methods/passed-methods.ts';
import { isNodeMethod } from '../pool/node-method-rule.ts';
import type { NetworkReadiness } from '../server/health.ts';
import type { RecordTable } from '../shared-store/records/record-table.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { fingerprint } from './fingerprint.ts';
import { findFeed, holdChain, type OpenFeed, releaseChain } from './held-chains.ts';
import { Anchors } from './open-anchors.ts';
import type { ChainBackends, ObservedChain } from './open-chain.ts';
import { openEach } from './open-each.ts';
import { Rollups } from './open-rollups.ts';
import { UnopenedChain } from './unopened-chain.ts';

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** Parts that a network needs besides its chain. */
export type NetworkParts = {
  readonly openFeed: OpenFeed;
  /** Storage of filters. */
  readonly records: RecordTable;
};

/** Open networks of one configuration. Unchanged chains are reused from the previous configuration. */
export class OpenNetworks {
  readonly config: Config;
  readonly rollups: Rollups;
  /** Queue for the calls of each network, by network name. */
  readonly slots: ReadonlyMap<string, FairQueue>;
  readonly #chains = new Map<string, ObservedChain>();
  #anchors: Anchors | undefined;

  private constructor(config: Config, rollups: Rollups) {
    this.config = config;
    this.rollups = rollups;
    const { networkCalls: running, networkQueue: waiting, queueWait: waitMs, ownerShare } = config.limits;
    this.slots = new Map(
      Object.keys(config.networks).map((name) => [
        name,
        new FairQueue({ running, ownerShare, waiting, waitMs }),
      ]),
    );
  }

  /**
   * Opens all networks concurrently, whether their nodes answer or not. A network that cannot be opened gets an `UnopenedChain`. During a reload, a
   * network that cannot be opened is an error, unless it could not be opened under the previous configuration either.
   * @param options.isStrict whether a network that cannot be opened is always an error
   * @throws Error that names a network that cannot be opened, if this counts as an error, or if no network can be opened. After the error, only the
   * chains of `before` remain open
   */
  static async open(
    config: Config,
    backends: ChainBackends,
    { before, isStrict }: { readonly before?: OpenNetworks | undefined; readonly isStrict: boolean },
  ): Promise<OpenNetworks> {
    const networks = new OpenNetworks(config, new Rollups(backends));
    const isUnopened = (name: string): boolean => before?.chains.get(name) instanceof UnopenedChain;
    try {
      await openEach(config.networks, backends, {
        lend: (name, options) => before?.lend(name, options),
        mayBeUnopened: (name) => !isStrict && (before === undefined || isUnopened(name)),
        onOpen(name, chain) {
          networks.#chains.set(name, chain);
          holdChain(chain);
        },
      });
      await networks.rollups.open(config.networks, networks.#chains);
      networks.#anchors = new Anchors(config.networks, networks.#chains, backends.log);
    } catch (error) {
      await networks.close();
      throw error;
    }
    return networks;
  }

  get chains(): ReadonlyMap<string, ObservedChain> {
    return this.#chains;
  }

  readReadiness(): NetworkReadiness {
    const answerable: string[] = [];
    const unanswerable: Record<string, string> = {};
    for (const [name, chain] of this.#chains) {
      if (chain.isAnswerable) answerable.push(name);
      else unanswerable[name] = chain.describe().outage ?? 'it has no block';
    }
    return { answerable, unanswerable };
  }

  /**
   * Creates the table of networks by host name.
   * @param hasDemoKey whether the key `demo` opens a network that is not built-in; on loopback only
   * @param parts parts of networks besides their chains
   */
  createRegistry(hasDemoKey: (network: string) => boolean, parts: NetworkParts): NetworkRegistry {
    const bindings = Object.entries(this.config.networks).map(([name, options]) => ({
      hosts: options.hosts,
      network: this.#describe(name, options, hasDemoKey(name), parts),
    }));
    const { defaultNetwork } = this.config;
    const byDefault = bindings.find(({ network }) => network.name === defaultNetwork)?.network;
    return new NetworkRegistry(bindings, byDefault);
  }

  /** Returns the chain of a network if its options are unchanged; an `UnopenedChain` is not returned, so opening is tried again. */
  lend(name: string, options: NetworkOptions): ObservedChain | undefined {
    const own = this.config.networks[name];
    const chain = this.#chains.get(name);
    if (own === undefined || chain instanceof UnopenedChain) return undefined;
    return describeChain(own) === describeChain(options) ? chain : undefined;
  }

  /** Closes the chains that no other configuration uses. */
  async close(): Promise<void> {
    this.#anchors?.close();
    await this.rollups.close();
    await Promise.all([...this.#chains.values()].map((chain) => releaseChain(chain)));
  }

  #describe(
    name: string,
    options: NetworkOptions,
    hasDemoKey: boolean,
    { openFeed, records }: NetworkParts,
  ): Network {
    const { listen, limits } = this.config;
    const rollup = this.rollups.get(name);
    const chain = this.#chains.get(name) as ObservedChain;
    return {
      name,
      chain,
      // A feed of an embedded chain needs no shared records, because all processes have the same blocks.
      feed: findFeed(chain, openFeed, options.upstreams === undefined ? undefined : records),
      ...(rollup !== undefined && { rollup: rollup.family }),
      get rollupPrefixes() {
        return rollup?.prefixes;
      },
      get nodeEstimates() {
        return rollup?.nodeEstimates;
      },
      methods: createMethods(options),
      ...(servesDevelopment(options) && { development: createDevelopmentRule(this.config, options) }),
      hasNodes: options.upstreams !== undefined,
      filters: new Filters({ network: name, records, maxOfKey: limits.filters, lifeMs: limits.filterLife }),
      slots: this.slots.get(name) as FairQueue,
      safeTag: options.safeTag,
      callTimeoutMs: options.callTimeout,
      allowsDemoKey: LOOPBACK.test(listen.host) && (options.builtin !== undefined || hasDemoKey),
    };
  }
}

/** Returns the methods that a network serves; with nodes, these include read methods that the service does not implement itself. */
function createMethods(options: NetworkOptions): NetworkMethods {
  const { upstreams, methods } = options;
  if (upstreams === undefined) return new NetworkMethods({ ...methods, reads: [], onlyReads: isNodeMethod });
  const reads = READ_METHODS.keys();
  return new NetworkMethods({
    ...methods,
    reads,
    onlyReads: isNodeMethod,
    findPassed: findPassedNamespace,
    ...(servesDevelopment(options) && { findDevelopment: findDevelopmentLabel }),
  });
}

/** Returns the rule that decides which clients may call methods of the network's development node. */
function createDevelopmentRule({ listen, cors }: Config, { methods }: NetworkOptions): DevelopmentRule {
  return {
    isEverywhere: methods.development === true,
    listensOnLoopback: LOOPBACK.test(listen.host),
    hasTrustedProxies: (listen.trustedProxies ?? []).length > 0,
    origins: new Set(cors.origins.filter((origin) => origin !== '*').map((origin) => origin.toLowerCase())),
  };
}

/** Returns a fingerprint of the options that a chain is opened with. */
function describeChain({
  hosts,
  methods,
  safeTag,
  callTimeout,
  rate,
  rollup,
  ...opened
}: NetworkOptions): string {
  const { family, anchor, l1 } = rollup ?? {};
  return fingerprint({ ...opened, family, ...(anchor !== undefined && { anchor, l1 }) });
}
