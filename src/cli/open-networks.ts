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
import type { RecordTable } from '../records/record-table.ts';
import type { NetworkReadiness } from '../server/health.ts';
import { isNodeMethod } from '../upstream/node-method-rule.ts';
import { READ_METHODS } from '../upstream/read-methods.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { fingerprint } from './fingerprint.ts';
import { findFeed, holdChain, type OpenFeed, releaseChain } from './held-chains.ts';
import { Anchors } from './open-anchors.ts';
import type { ChainBackends, ObservedChain } from './open-chain.ts';
import { openEach } from './open-each.ts';
import { Rollups } from './open-rollups.ts';
import { UnopenedChain } from './unopened-chain.ts';

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** What networks are made of besides their chains. */
export type NetworkParts = {
  readonly openFeed: OpenFeed;
  /** What filters are kept in. */
  readonly records: RecordTable;
};

/** The networks of one configuration, open. Chains that an earlier one had in the same form are taken over from it. */
export class OpenNetworks {
  readonly config: Config;
  readonly rollups: Rollups;
  /** Of the calls on each network. */
  readonly turns: ReadonlyMap<string, FairQueue>;
  readonly #chains = new Map<string, ObservedChain>();
  #anchors: Anchors | undefined;

  private constructor(config: Config, rollups: Rollups) {
    this.config = config;
    this.rollups = rollups;
    const { networkCalls: running, networkQueue: waiting, queueWait: waitMs, ownerShare } = config.limits;
    this.turns = new Map(
      Object.keys(config.networks).map((name) => [
        name,
        new FairQueue({ running, ownerShare, waiting, waitMs }),
      ]),
    );
  }

  /**
   * All at the same time, whether their nodes answer or not. Of those that cannot be opened each has an `UnopenedChain`; in place of a
   * configuration that is in force this is an error, unless they could not be opened in that one either.
   * @param options.isStrict a network that cannot be opened is an error
   * @throws Error naming a network that cannot be opened, where that is an error or none can be; nothing stays open then but what `before` has
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
   * @param hasDemoKey networks beside the built-in ones that the key `demo` opens, on loopback only
   * @param parts what networks have besides their chains
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

  /** The chain of a network, where it is opened from the same; what could not be opened is tried again. */
  lend(name: string, options: NetworkOptions): ObservedChain | undefined {
    const own = this.config.networks[name];
    const chain = this.#chains.get(name);
    if (own === undefined || chain instanceof UnopenedChain) return undefined;
    return describeChain(own) === describeChain(options) ? chain : undefined;
  }

  /** Closes the chains that no other configuration holds. */
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
      // All processes have the same blocks of a built-in chain.
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
      turns: this.turns.get(name) as FairQueue,
      safeTag: options.safeTag,
      callTimeoutMs: options.callTimeout,
      allowsDemoKey: LOOPBACK.test(listen.host) && (options.builtin !== undefined || hasDemoKey),
    };
  }
}

/** What a network serves: of nodes also what they read and the service does not know itself. */
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

/** Which clients may call methods of a network's development node. */
function createDevelopmentRule({ listen, cors }: Config, { methods }: NetworkOptions): DevelopmentRule {
  return {
    isEverywhere: methods.development === true,
    listensOnLoopback: LOOPBACK.test(listen.host),
    hasTrustedProxies: (listen.trustedProxies ?? []).length > 0,
    origins: new Set(cors.origins.filter((origin) => origin !== '*').map((origin) => origin.toLowerCase())),
  };
}

/** What a chain is opened from. */
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
