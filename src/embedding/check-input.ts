import { pointToNames } from '../util/near-name.ts';
import type { AccountsInput, ChainInput, GatewayInput, GenesisInput } from './options.ts';

/** Names of the members of an object type; the compiler requires every name. */
type NamesOf<T> = Readonly<Record<keyof T, true>>;

const OPTIONS: NamesOf<GatewayInput> = {
  nodes: true,
  chain: true,
  config: true,
  dataDir: true,
  host: true,
  port: true,
  interceptors: true,
  log: true,
};
const CHAIN_OPTIONS: NamesOf<GenesisInput & AccountsInput> = { genesis: true, blocks: true, accounts: true };

/**
 * Checks the names of options, and the options that are not part of a configuration. Members of `config` are checked with the configuration.
 * @throws TypeError that names the option
 */
export function checkInput(input: GatewayInput): void {
  if (!isObject(input)) throw new TypeError('createGateway takes an object of options');
  checkNames(input, OPTIONS, '');
  const { nodes, chain, config, interceptors } = input;
  if (nodes !== undefined && !Array.isArray(nodes)) throw invalid('nodes', 'expected a list of URLs');
  if (config !== undefined && !isObject(config)) throw invalid('config', 'expected an object');
  if (chain !== undefined) checkChain(chain);
  if (interceptors === undefined) return;
  if (!Array.isArray(interceptors)) throw invalid('interceptors', 'expected a list');
  // Other members of an interceptor are its own state, so only an interceptor that would never run is refused.
  const idle = interceptors.findIndex(
    (one) => typeof one?.before !== 'function' && typeof one?.after !== 'function',
  );
  if (idle >= 0)
    throw invalid(`interceptors[${idle}]`, 'expected an object with a function `before` or `after`');
}

function checkChain(chain: ChainInput): void {
  if (!isObject(chain)) throw invalid('chain', 'expected an object with `genesis`, or with `accounts`');
  checkNames(chain, CHAIN_OPTIONS, 'chain.');
  const { genesis, blocks, accounts } = chain as Partial<GenesisInput & AccountsInput>;
  if (accounts !== undefined) {
    if (!Array.isArray(accounts)) throw invalid('chain.accounts', 'expected a list of addresses');
    if (genesis !== undefined || blocks !== undefined)
      throw invalid('chain', 'expected either `accounts` or `genesis`, not both');
    return;
  }
  if (typeof genesis !== 'string' && !isObject(genesis))
    throw invalid('chain.genesis', 'expected the path of a genesis file, or its contents as an object');
  if (blocks !== undefined && typeof blocks !== 'string' && !(blocks instanceof Uint8Array))
    throw invalid('chain.blocks', 'expected the path of a file of blocks, or its contents as a Uint8Array');
}

/** @throws TypeError for a name that is no option, with the name that was probably meant */
function checkNames(value: object, options: Readonly<Record<string, true>>, prefix: string): void {
  const names = Object.keys(options);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(`${prefix}${unknown}`);
  throw new TypeError(`createGateway has no option ${shown}${pointToNames(unknown, names)}`);
}

function invalid(option: string, message: string): TypeError {
  return new TypeError(`createGateway: ${option}: ${message}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
