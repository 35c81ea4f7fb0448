import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import { REVISIONS } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { BundleError, BundleRequestError } from '../bundle/format.ts';
import { type BundleRequest, type Proof, prove } from '../bundle/prove.ts';
import type { Source } from '../bundle/request-block.ts';
import { createMemoryCache } from '../cache/memory-cache.ts';
import { EngineChain } from '../chains/embedded/engine-chain.ts';
import { createBuiltinConfig } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { awaitNodes } from '../doctor/await-nodes.ts';
import { createLogger } from '../observe/logger.ts';
import { type Command, createCommand } from '../service/command.ts';
import { CONFIG_OPTION, DATA_VARIABLES, FILE_VARIABLES } from '../service/common-help.ts';
import { EmbeddedChains } from '../service/embedded-chains.ts';
import { OpenNetworks } from '../service/open-networks.ts';
import type { OpenRollup } from '../service/open-rollups.ts';
import { readRules, requireChain } from '../service/read-rules.ts';
import { UsageError } from '../service/usage.ts';
import { suggestName } from '../util/near-name.ts';
import { RequestScope } from '../util/request-scope.ts';

/** Time limit for collecting a bundle, milliseconds: calls may need many proofs from slow nodes. */
const TIME_LIMIT_MS = 600_000;
/** Methods that only rollups have. */
const OF_ROLLUPS = /^(?!eth_)\w+_estimateGas$|^rollup_/;
/** Options of the memory cache for one run of `prove`, bytes. */
const CACHE = { bytes: 64 << 20, entryBytes: 16 << 20 };

/** `portcullis prove` */
export const proveCommand: Command = createCommand({
  name: 'prove',
  operands: ['METHOD', '[PARAMS]'],
  about: `Answers a request with a bundle that proves the answer.

    The bundle has the answer, the header of its block, and the evidence that links the two; it is written to stdout. Anyone
    can check it with \`portcullis verify\`, offline. PARAMS is a JSON array, as in a request; a tag is replaced by the number
    of the block that it means now. Answers of nodes are verified before they are written.`,
  options: {
    network: { value: 'NAME', isRequired: true, about: 'network of the configuration' },
    config: { ...CONFIG_OPTION, about: 'configuration file; without it the networks are the built-in ones' },
    fork: {
      value: 'NAME',
      choices: REVISIONS,
      about: 'fork of the block, for calls on networks whose nodes do not report it (eth_config)',
    },
  },
  environment: { ...DATA_VARIABLES, ...FILE_VARIABLES },
  examples: [
    `portcullis prove eth_call '[{"to":"0xcabe9823112d187ea24d56be8e47ae75ed52a842","data":"0x18160ddd"},"latest"]' --network devnet > bundle.json`,
  ],
  exitCodes: { 1: 'the answer cannot be proven, with the reason on stderr' },
  async run({ network, config: file, fork }, [method = '', params = '[]']) {
    const question = { method, params: readParams(params) };
    const config =
      file === undefined ? createBuiltinConfig(process.env) : await loadConfig(file, process.env);
    const settings = fork === undefined ? {} : { fork };
    const { text, notes } = await withSource(
      config,
      network,
      (source) => proveRequest(question, { ...source, ...settings }),
      OF_ROLLUPS.test(method),
    );
    for (const note of notes) process.stderr.write(`portcullis: ${note}\n`);
    process.stdout.write(text);
    return 0;
  },
});

/** @throws UsageError if bundles do not support the method, or its parameters are invalid */
async function proveRequest(question: BundleRequest, source: Source): Promise<Proof> {
  try {
    return await prove(question, source);
  } catch (error) {
    if (error instanceof BundleRequestError) throw new UsageError(error.message);
    if (error instanceof RangeError)
      throw new BundleError(`the answer of the network cannot be parsed: ${error.message}`);
    throw error;
  }
}

/** @throws UsageError if the text is not a JSON array */
function readParams(text: string): readonly unknown[] {
  try {
    const params: unknown = JSON.parse(text);
    if (Array.isArray(params)) return params;
  } catch {
    // Malformed JSON throws the same error as a value that is not an array.
  }
  throw new UsageError('the parameters are not a JSON array');
}

/** Returns the configuration reduced to one network and its layer 1. @throws UsageError if the network does not exist */
function pickNetwork(config: Config, name: string): Config {
  const options = config.networks[name];
  if (options === undefined)
    throw new UsageError(`there is no network ${name}${suggestName(name, Object.keys(config.networks))}`);
  const names = [name, options.rollup?.l1 ?? name];
  const picked = Object.entries(config.networks).filter(([each]) => names.includes(each));
  // Local execution of calls and their comparison with nodes' results are off for the network, because `prove` does both itself.
  const opened = picked.map(([each, row]): [string, NetworkOptions] => [
    each,
    { ...row, execution: 'node', verifyCalls: 0 },
  ]);
  return { ...config, networks: Object.fromEntries(opened) };
}

/**
 * Opens a network of a configuration while `work` runs.
 * @param isOfRollups whether the method requires the rollup family; an error while recognising the family is then fatal
 * @throws UsageError if the network does not exist
 * @throws Error if the nodes of the network cannot be reached
 */
export async function withSource<T>(
  whole: Config,
  name: string,
  work: (source: Source) => Promise<T>,
  isOfRollups = true,
): Promise<T> {
  const config = pickNetwork(whole, name);
  const { chain: genesis } = whole.networks[name] ?? {};
  const log = createLogger('silent');
  const engine = new EmbeddedChains({
    threads: 1,
    onFault: (fault) => log.error({ fault }, 'execution fault'),
  });
  try {
    const backends = { dataDir: config.dataDir, engine, cache: createMemoryCache(CACHE), log };
    const networks = await OpenNetworks.open(config, backends, { isStrict: true });
    try {
      const chain = networks.chains.get(name);
      if (chain === undefined) throw new Error(`network ${name} is not open`);
      await awaitNodes(chain);
      const { outage } = chain.describe();
      if (outage !== undefined) throw new Error(`network ${name} is not available: ${outage}`);
      const scope = new RequestScope(performance.now() + TIME_LIMIT_MS);
      return await work({
        chain,
        scope,
        ...(genesis !== undefined && { config: readChainRules(genesis, chain.chainId) }),
        ...(chain instanceof EngineChain && { config: chain.config }),
        ...(await describeRollup(networks.rollups.get(name), isOfRollups, scope)),
      });
    } finally {
      await networks.close();
    }
  } finally {
    await engine.close();
  }
}

/** Reads the fork rules of a network's chain. @throws Error with the file name if the file is unreadable or for another chain */
function readChainRules(path: string, chainId: bigint): ChainConfig {
  const rules = readRules(path);
  requireChain(path, rules, chainId);
  return rules;
}

/**
 * Describes what a rollup's answers depend on besides its chain: the family, the layer 1 and the op-node.
 * @throws ChainError if the family cannot be recognised and the method requires it
 */
async function describeRollup(
  open: OpenRollup | undefined,
  isOfRollups: boolean,
  scope: RequestScope,
): Promise<Pick<Source, 'rollup' | 'prefixes' | 'l1' | 'opNode'>> {
  if (open === undefined) return {};
  await open.family.recognise?.(scope).catch((error: unknown) => {
    if (isOfRollups) throw error;
  });
  const { familyName: family, prefixes, sources } = open;
  const prefix = prefixes?.[0];
  if (family === undefined || prefixes === undefined || prefix === undefined) return {};
  const { mode, l1CostMode, messageService = null, l1, opNode } = sources;
  return {
    rollup: { family, prefix, mode, l1CostMode, messageService },
    prefixes,
    ...(l1 !== undefined && { l1 }),
    ...(opNode !== undefined && { opNode }),
  };
}
