import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_SEND } from '../chains/upstream/sending/options.ts';
import { METHOD_NAMES } from '../methods/method-names.ts';
import { NOTIFICATION_NAMES } from '../methods/notification-credits.ts';
import { WORK_NAMES } from '../methods/work-credits.ts';
import { nameUpstream } from '../pool/endpoint.ts';
import { DEFAULT_VERIFY, DEFAULT_VERIFY_CALLS } from '../pool/options.ts';
import { listForeignOptions } from '../rollup/family-options.ts';
import { hasOwnMachine } from '../rollup/family-table.ts';
import { isUrl } from '../rollup/options.ts';
import { pointToNames } from '../util/near-name.ts';
import { checkAgreement } from './check-agreement.ts';
import { checkBudgets } from './check-budgets.ts';
import type { Config } from './config.ts';
import { matchesEntry } from './method-options.ts';
import { type NetworkOptions, nameDefaultHost } from './network-options.ts';
import { listServed } from './served-methods.ts';

/** One configuration error, and the path of the wrong value in the file. */
export type Problem = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Other values that the problem depends on; the problem is suppressed if one of these values is wrong itself. */
  readonly dependsOn?: readonly (readonly PropertyKey[])[];
};

const NETWORK_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/;
/** First segments of request paths that are not network names. */
const PATH_WORDS: ReadonlySet<string> = new Set(['ws', 'v3']);

/**
 * Checks how the parts of a configuration fit together; a schema checks each value alone.
 * @param names names of all networks, including those that `config` lacks because they have other errors
 */
export function checkConfig(
  config: Config,
  names: readonly string[] = Object.keys(config.networks),
): Problem[] {
  const problems: Problem[] = [];
  if (names.length === 0) problems.push({ path: ['networks'], message: 'names no network' });
  if (config.defaultNetwork !== undefined && !names.includes(config.defaultNetwork)) {
    problems.push({ path: ['defaultNetwork'], message: describeNoNetwork(config.defaultNetwork, names) });
  }
  for (const name of names) {
    const isTaken = PATH_WORDS.has(name);
    if (NETWORK_NAME.test(name) && !isTaken) continue;
    problems.push({
      path: ['networks', name],
      message: isTaken
        ? `${name} is reserved, because other paths begin with /${name}/: expected another name`
        : 'expected a name of letters, digits, _ and -',
      dependsOn: [],
    });
  }
  problems.push(...checkCredits(config, names), ...checkBudgets(config));
  const owners = new Map<string, string>();
  for (const [name, network] of Object.entries(config.networks)) {
    problems.push(...checkSource(name, network), ...checkHosts(name, network, owners));
    problems.push(...checkMethods(name, network), ...checkLayer1(name, network, names));
    problems.push(...checkAnchor(name, network, config.networks), ...checkChainId(name, network));
    problems.push(...checkSend(name, network), ...checkExecution(name, network));
    problems.push(...checkAgreement(name, network), ...checkFamilyOptions(name, network));
  }
  return problems;
}

function describeNoNetwork(name: string, names: readonly string[]): string {
  return `there is no network ${name}${pointToNames(name, names)}`;
}

/** `access.credits` may only name methods that some network serves. */
function checkCredits({ access, networks }: Config, names: readonly string[]): Problem[] {
  const served = Object.values(networks).map(listServed);
  const known = new Set([
    'default',
    ...METHOD_NAMES,
    ...NOTIFICATION_NAMES,
    ...WORK_NAMES,
    ...served.flatMap((one) => [...one.names]),
  ]);
  const dependsOn = names.flatMap((name) => ['methods', 'rollup'].map((key) => ['networks', name, key]));
  return Object.keys(access.credits)
    .filter((name) => !known.has(name) && !served.some((one) => one.mayServe(name)))
    .map((name) => ({
      path: ['access', 'credits', name],
      message: `there is no method ${name}${pointToNames(name, known)}`,
      dependsOn,
    }));
}

/** Names in `only` and `except` must exist: a misspelt name would leave a method open, or close all methods. */
function checkMethods(name: string, network: NetworkOptions): Problem[] {
  const { methods, upstreams, pool } = network;
  const path = ['networks', name, 'methods'];
  if (methods.development !== undefined && !pool.development) {
    const message = 'only a network with pool.development: true has methods of a development node';
    return [{ path: [...path, 'development'], message, dependsOn: [['networks', name, 'pool']] }];
  }
  if (upstreams === undefined && methods.also.length > 0) {
    const message = 'only a network with upstreams has methods of its nodes';
    return [{ path: [...path, 'also'], message, dependsOn: [['networks', name, 'upstreams']] }];
  }
  const { names, mayServe } = listServed(network);
  const isKnown = (entry: string): boolean =>
    methods.also.includes(entry) || mayServe(entry) || [...names].some((one) => matchesEntry(entry, one));
  const dependsOn = ['rollup', 'upstreams'].map((key) => ['networks', name, key]);
  return (['only', 'except'] as const).flatMap((key) =>
    (methods[key] ?? []).flatMap((entry, i) => {
      if (isKnown(entry)) return [];
      const message = `there is no method ${entry}${pointToNames(entry, names)}`;
      return [{ path: [...path, key, i], message, dependsOn: [...dependsOn, [...path, 'also']] }];
    }),
  );
}

/** Keys that define the chain source of a network. */
const SOURCES = ['builtin', 'embedded', 'upstreams'];

function checkSource(name: string, network: NetworkOptions): Problem[] {
  const path = ['networks', name];
  const dependsOn = SOURCES.map((source) => [...path, source]);
  const { builtin, embedded, upstreams } = network;
  const sources = Object.entries({ builtin, embedded, upstreams }).filter(
    ([, source]) => source !== undefined,
  );
  if (sources.length === 0) {
    return [{ path, message: 'has no chain: expected builtin, embedded or upstreams', dependsOn }];
  }
  if (sources.length > 1) {
    const names = sources.map(([source]) => source).join(' and ');
    return [{ path, message: `has both ${names}, expected one of them`, dependsOn }];
  }
  if (network.pool.development && upstreams?.length !== 1) {
    const message = 'only a network with one upstream can follow a development node';
    return [{ path: [...path, 'pool', 'development'], message, dependsOn }];
  }
  return checkVerification(path, network, dependsOn);
}

/** Keys that only apply to verified networks, and the phrase for each key in the error message. */
const OF_VERIFICATION = {
  checkpoint: 'has a checkpoint',
  verifyLogBlocks: 'has verified logs',
  verifyCalls: 'has compared calls',
} as const;

/** Rejects options of verification for a network whose answers are not verified. */
function checkVerification(
  path: readonly string[],
  network: NetworkOptions,
  dependsOn: readonly (readonly PropertyKey[])[],
): Problem[] {
  const { upstreams, verify = 'off' } = network;
  if (isVerified(network)) return [];
  if (upstreams === undefined && verify !== 'off') {
    const message = 'only answers of nodes are verified: embedded chains are executed here';
    return [{ path: [...path, 'verify'], message, dependsOn }];
  }
  // `verifyLogBlocks` and `verifyCalls` may remain beside `verify: off` for later use. A `checkpoint` beside `verify: off` is rejected, because the
  // chain would not be checked against it.
  const misplaced = (['checkpoint', 'verifyLogBlocks', 'verifyCalls'] as const).filter(
    (key) => network[key] !== undefined && (upstreams === undefined || key === 'checkpoint'),
  );
  return misplaced.map((key) => ({
    path: [...path, key],
    message: `only a network with upstreams and verify: auto or require ${OF_VERIFICATION[key]}`,
    dependsOn: [...dependsOn, [...path, 'verify']],
  }));
}

/** Checks `execution` and `chain`. Local execution requires a network of nodes and, for a rollup, a configured family that runs the EVM. */
function checkExecution(name: string, network: NetworkOptions): Problem[] {
  const { execution, chain, upstreams, rollup } = network;
  const { verify = DEFAULT_VERIFY, verifyCalls = DEFAULT_VERIFY_CALLS } = network;
  const path = ['networks', name];
  const isHere = execution !== 'node';
  if (isHere && upstreams === undefined) {
    const message = 'only networks of upstreams have a choice: embedded chains are executed here';
    return [{ path: [...path, 'execution'], message }];
  }
  if (isHere && network.pool.development) {
    const isRequired = verify === 'require';
    const message = `a development node changes state without a new block, so ${isRequired ? 'answers cannot be verified: expected off' : 'calls cannot be executed here: expected node'}`;
    const dependsOn = ['pool', 'execution', 'verify'].map((key) => [...path, key]);
    return [{ path: [...path, isRequired ? 'verify' : 'execution'], message, dependsOn }];
  }
  if (isHere && rollup !== undefined && rollup.family === undefined) {
    const dependsOn = ['execution', 'rollup', 'verify'].map((key) => [...path, key]);
    if (verify === 'require') {
      const message =
        'needs family with verify: require, which executes calls here where the rollup runs the EVM; otherwise set execution: node';
      return [{ path: [...path, 'rollup'], message, dependsOn }];
    }
    const message = 'needs rollup.family: whether calls can be executed here depends on it';
    return [{ path: [...path, 'execution'], message, dependsOn }];
  }
  if (isHere && hasOwnMachine(rollup?.family)) {
    const message = `rollups of the family ${rollup?.family} do not run the EVM, so nodes execute their calls: expected node`;
    return [{ path: [...path, 'execution'], message, dependsOn: [[...path, 'rollup']] }];
  }
  const isSampled = upstreams !== undefined && verify !== 'off' && verifyCalls > 0;
  if (chain === undefined || isHere || isSampled) return [];
  const message = 'is only used with execution: local or auto, or where answers to calls are verified';
  return [
    {
      path: [...path, 'chain'],
      message,
      dependsOn: ['execution', 'verify', 'verifyCalls'].map((key) => [...path, key]),
    },
  ];
}

/** `send.to` must name nodes of the network. */
function checkSend(name: string, { send, upstreams }: NetworkOptions): Problem[] {
  const { to } = send;
  const path = ['networks', name, 'send'];
  const dependsOn = [['networks', name, 'upstreams']];
  if (upstreams === undefined) {
    if (isDeepStrictEqual(send, DEFAULT_SEND)) return [];
    return [{ path, message: 'only a network with upstreams sends transactions', dependsOn }];
  }
  if (typeof to === 'string') return [];
  const names = upstreams.map(nameUpstream);
  return to.flatMap((node, i) =>
    names.includes(node)
      ? []
      : [
          {
            path: [...path, 'to', i],
            message: `there is no upstream ${node}${pointToNames(node, names)}`,
            dependsOn,
          },
        ],
  );
}

function checkHosts(name: string, network: NetworkOptions, owners: Map<string, string>): Problem[] {
  const problems: Problem[] = [];
  const path = ['networks', name, 'hosts'];
  for (const [i, host] of network.hosts.entries()) {
    const owner = owners.get(host);
    if (owner === undefined) {
      owners.set(host, name);
      continue;
    }
    const isDefault = network.hosts.length === 1 && host === nameDefaultHost(name);
    const message = `${host} already belongs to ${owner}${isDefault ? `: set the hosts of ${name}, or [] for none` : ''}`;
    problems.push({ path: [...path, i], message, dependsOn: [path, ['networks', owner, 'hosts']] });
  }
  return problems;
}

function checkLayer1(name: string, network: NetworkOptions, names: readonly string[]): Problem[] {
  const l1 = network.rollup?.l1;
  if (l1 === undefined || isUrl(l1)) return [];
  const path = ['networks', name, 'rollup', 'l1'];
  if (l1 === name) return [{ path, message: 'a network cannot be its own layer 1' }];
  if (names.includes(l1)) return [];
  // The value may be a URL with a secret key, so the error quotes the value only if it has the form of a network name.
  const isName = /^[\w-]+$/.test(l1);
  return [
    { path, message: isName ? describeNoNetwork(l1, names) : 'names neither a network nor an address' },
  ];
}

/** An option that the configured family ignores is refused: the operator would expect an effect. */
function checkFamilyOptions(name: string, { rollup }: NetworkOptions): Problem[] {
  if (rollup?.family === undefined) return [];
  const path = ['networks', name, 'rollup'];
  return listForeignOptions(rollup.family, rollup).map(({ option, families }) => ({
    path: [...path, option],
    message: `the family ${rollup.family} has no ${option}: remove it, or set family to ${families.join(' or ')}`,
    dependsOn: [[...path, 'family']],
  }));
}

/** `verify: require` needs `pool.chainId`, because dishonest nodes could report the id of another chain. */
function checkChainId(name: string, { upstreams, verify, pool }: NetworkOptions): Problem[] {
  if (upstreams === undefined || verify !== 'require' || pool.chainId !== undefined) return [];
  const path = ['networks', name];
  const message = 'needs pool.chainId: the configuration must name the chain whose answers are verified';
  return [
    {
      path: [...path, 'verify'],
      message,
      dependsOn: ['upstreams', 'pool'].map((key) => [...path, key]),
    },
  ];
}

/** An anchor requires a layer 1 whose state is verified, and a rollup whose blocks are verified. */
function checkAnchor(
  name: string,
  network: NetworkOptions,
  networks: Readonly<Record<string, NetworkOptions>>,
): Problem[] {
  const { rollup, checkpoint } = network;
  if (rollup?.anchor === undefined) return [];
  const at = ['networks', name];
  const path = [...at, 'rollup', 'anchor'];
  const l1 = rollup.l1 ?? '';
  const sources = ['upstreams', 'verify'];
  const dependsOn = [...sources.map((key) => [...at, key]), [...at, 'rollup', 'l1']];
  if (!isVerified(network)) {
    const message = 'only a network with upstreams and verify: auto or require is anchored in layer 1';
    return [{ path, message, dependsOn }];
  }
  if (checkpoint !== undefined)
    return [{ path, message: 'has both an anchor and a checkpoint, expected one of them' }];
  const layer1 = networks[l1];
  if (layer1 !== undefined && isVerified(layer1)) return [];
  const message = 'rollup.l1 must name a network with upstreams and verify: auto or require';
  return [{ path, message, dependsOn: [...dependsOn, ['networks', l1]] }];
}

function isVerified({ upstreams, verify }: NetworkOptions): boolean {
  return upstreams !== undefined && verify !== 'off';
}
