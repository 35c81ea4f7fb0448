/** Parameter generators, one row per method. A method is compared once the service supports it. */
import { callParameters } from './calls.ts';
import type { ChainFacts } from './chain-facts.ts';
import type { Random } from './random.ts';
import {
  address,
  anyQuantity,
  blockHash,
  blockNumber,
  blockNumberOrTag,
  blockReference,
  blockTag,
  data,
  hash,
  malformed,
  quantity,
} from './values.ts';

export type Generator = (random: Random, facts: ChainFacts) => readonly unknown[];
export type GeneratedRequest = { readonly method: string; readonly params: readonly unknown[] };

const none: Generator = () => [];
const byHash: Generator = (random, facts) => [blockHash(random, facts)];
const byNumber: Generator = (random, facts) => [blockNumberOrTag(random, facts)];
const byReference: Generator = (random, facts) => [blockReference(random, facts)];
const byHashAndIndex: Generator = (random, facts) => [blockHash(random, facts), index(random)];
const byNumberAndIndex: Generator = (random, facts) => [blockNumberOrTag(random, facts), index(random)];
const byTransaction: Generator = (random, facts) => [
  random.oneIn(8) ? hash(random) : random.pick(facts.transactionHashes),
];
const accountAt: Generator = (random, facts) => [address(random, facts), blockReference(random, facts)];

/** Calls have the largest weights, because they can differ most. */
const ROWS: readonly (readonly [method: string, weight: number, generator: Generator])[] = [
  ['eth_call', 40, call],
  ['eth_estimateGas', 30, call],
  ['eth_createAccessList', 8, call],
  ['eth_fillTransaction', 8, filling],
  ['eth_simulateV1', 8, simulation],
  ['eth_chainId', 1, none],
  ['net_version', 1, none],
  ['eth_blockNumber', 1, none],
  ['eth_getBlockByNumber', 4, (random, facts) => [blockNumberOrTag(random, facts), random.oneIn(3)]],
  ['eth_getBlockByHash', 4, (random, facts) => [blockHash(random, facts), random.oneIn(3)]],
  ['eth_getHeaderByNumber', 2, byNumber],
  ['eth_getHeaderByHash', 2, byHash],
  ['eth_getBlockReceipts', 3, byReference],
  ['eth_getBlockTransactionCountByNumber', 2, byNumber],
  ['eth_getBlockTransactionCountByHash', 2, byHash],
  ['eth_getUncleCountByBlockNumber', 2, byNumber],
  ['eth_getUncleCountByBlockHash', 2, byHash],
  ['eth_getUncleByBlockNumberAndIndex', 4, byNumberAndIndex],
  ['eth_getUncleByBlockHashAndIndex', 4, byHashAndIndex],
  ['eth_getTransactionByBlockNumberAndIndex', 4, byNumberAndIndex],
  ['eth_getTransactionByBlockHashAndIndex', 4, byHashAndIndex],
  ['eth_getTransactionByHash', 4, byTransaction],
  ['eth_getTransactionReceipt', 4, byTransaction],
  ['eth_getRawTransactionByHash', 2, byTransaction],
  ['eth_getRawTransactionByBlockNumberAndIndex', 2, byNumberAndIndex],
  ['eth_getRawTransactionByBlockHashAndIndex', 2, byHashAndIndex],
  ['eth_getTransactionCount', 4, accountAt],
  ['eth_getBalance', 4, accountAt],
  ['eth_getCode', 4, accountAt],
  ['eth_getStorageAt', 5, storageAt],
  ['eth_getStorageValues', 3, storageValues],
  ['eth_getProof', 3, proof],
  ['eth_getLogs', 12, logs],
  ['eth_gasPrice', 1, none],
  ['eth_maxPriorityFeePerGas', 1, none],
  ['eth_blobBaseFee', 1, none],
  ['eth_baseFee', 1, none],
  ['eth_feeHistory', 5, feeHistory],
  ['eth_syncing', 1, none],
  ['eth_accounts', 1, none],
  ['net_listening', 1, none],
  ['net_peerCount', 1, none],
  ['eth_config', 1, none],
  ['eth_capabilities', 1, none],
  ['web3_sha3', 2, (random) => [data(random)]],
  ['debug_getRawBlock', 2, byReference],
  ['debug_getRawHeader', 2, byReference],
  ['debug_getRawReceipts', 2, byReference],
  ['debug_getRawTransaction', 2, byTransaction],
];

/** Creates a generator of requests for those of these methods that `isServed`. @throws Error when there is none */
export function createGenerator(
  facts: ChainFacts,
  isServed: (method: string) => boolean,
): (random: Random) => GeneratedRequest {
  const served = ROWS.filter(([method]) => isServed(method));
  if (served.length === 0) throw new Error('no method to compare');
  const wheel = served.flatMap(([method, weight, generator]) =>
    Array.from({ length: weight }, () => ({ method, generator })),
  );
  return (random) => {
    const { method, generator } = random.pick(wheel);
    const params = generator(random, facts);
    return { method, params: random.oneIn(40) ? disturb(random, params) : params };
  };
}

/** A transaction to fill in: more often than calls it lacks gas, nonce and prices. */
function filling(random: Random, facts: ChainFacts): readonly unknown[] {
  const made = { ...(callParameters(random, facts).call as Record<string, unknown>) };
  for (const name of ['gas', 'nonce', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'])
    if (random.oneIn(2)) delete made[name];
  if (random.oneIn(4)) made['chainId'] = random.oneIn(4) ? '0x1' : quantity(facts.chainId);
  if (random.oneIn(6)) made['input'] = random.oneIn(2) ? made['data'] : data(random);
  return [made];
}

/** Removes, adds or malforms one parameter. */
function disturb(random: Random, params: readonly unknown[]): unknown[] {
  const changed = [...params];
  return random.call<unknown[]>(
    () => changed.slice(0, -1),
    () => [...changed, malformed(random)],
    () => {
      if (changed.length > 0) changed[random.below(changed.length)] = malformed(random);
      return changed;
    },
  );
}

function index(random: Random): unknown {
  if (random.oneIn(20)) return malformed(random);
  return random.oneIn(5) ? anyQuantity(random, 64) : quantity(random.below(4));
}

/** Fields of the pending block that depend on the clock or on the node's choice. */
const PENDING_FIELDS = {
  time: '0x300',
  prevRandao: `0x${'ab'.repeat(32)}`,
  feeRecipient: `0x${'cb'.repeat(20)}`,
};

function call(random: Random, facts: ChainFacts): readonly unknown[] {
  const made = callParameters(random, facts);
  const params: unknown[] = [made.call];
  if (made.block === undefined && made.state === undefined && random.oneIn(3)) return params;
  params.push(random.oneIn(2) ? 'latest' : blockReference(random, facts));
  // The block may be a tag or an object.
  const isPending = JSON.stringify(params[1] ?? null).includes('"pending"');
  if (made.state === undefined && made.block === undefined && !isPending) return params;
  params.push(made.state ?? (random.oneIn(2) ? null : {}));
  if (made.block !== undefined || isPending) params.push({ ...made.block, ...(isPending && PENDING_FIELDS) });
  return params;
}

function simulation(random: Random, facts: ChainFacts): readonly unknown[] {
  const blocks = random.list(1 + random.below(2), () => {
    const made = random.list(1 + random.below(2), () => callParameters(random, facts));
    const [first] = made;
    return {
      ...(first?.block !== undefined && { blockOverrides: first.block }),
      ...(first?.state !== undefined && { stateOverrides: first.state }),
      calls: made.map((one) => one.call),
    };
  });
  const options = {
    blockStateCalls: blocks,
    ...(random.oneIn(3) && { validation: random.oneIn(2) }),
    ...(random.oneIn(3) && { traceTransfers: random.oneIn(2) }),
    ...(random.oneIn(3) && { returnFullTransactions: random.oneIn(2) }),
  };
  return random.oneIn(3) ? [options] : [options, blockReference(random, facts)];
}

function storageAt(random: Random, facts: ChainFacts): readonly unknown[] {
  return [address(random, facts), slot(random), blockReference(random, facts)];
}

function slot(random: Random): unknown {
  return random.call<unknown>(
    () => quantity(random.below(6)),
    () => hash(random),
    () => anyQuantity(random, 256),
    () => `0x${random.hex(1 + random.below(70))}`,
    () => (random.oneIn(6) ? malformed(random) : '0x0'),
  );
}

function storageValues(random: Random, facts: ChainFacts): readonly unknown[] {
  const requested = Object.fromEntries(
    random.list(random.below(3), () => [
      address(random, facts),
      random.list(random.below(3), () => hash(random)),
    ]),
  );
  return [requested, blockReference(random, facts)];
}

function proof(random: Random, facts: ChainFacts): readonly unknown[] {
  return [
    address(random, facts),
    random.list(random.below(4), () => slot(random)),
    blockReference(random, facts),
  ];
}

function logs(random: Random, facts: ChainFacts): readonly unknown[] {
  if (random.oneIn(40)) return [];
  const filter: Record<string, unknown> = {};
  if (random.oneIn(6)) filter['blockHash'] = blockHash(random, facts);
  if (!('blockHash' in filter) || random.oneIn(10)) {
    if (!random.oneIn(5))
      filter['fromBlock'] = random.oneIn(3) ? blockTag(random) : blockNumber(random, facts);
    if (!random.oneIn(5)) filter['toBlock'] = random.oneIn(3) ? blockTag(random) : blockNumber(random, facts);
  }
  if (random.oneIn(3)) {
    filter['address'] = random.oneIn(2)
      ? address(random, facts)
      : random.list(random.below(4), () => address(random, facts));
  }
  if (random.oneIn(2))
    filter['topics'] = random.list(random.below(6), () => topicAlternatives(random, facts));
  if (random.oneIn(40))
    filter[random.pick(['address', 'topics', 'fromBlock', 'toBlock'])] = malformed(random);
  return [filter];
}

function topicAlternatives(random: Random, facts: ChainFacts): unknown {
  const topic = (): string => (random.oneIn(5) ? hash(random) : random.pick(facts.topics));
  return random.call<unknown>(
    () => null,
    () => topic(),
    () => random.list(random.below(3), topic),
    () => [topic(), null],
  );
}

function feeHistory(random: Random, facts: ChainFacts): readonly unknown[] {
  const count = random.oneIn(10)
    ? anyQuantity(random, 64)
    : random.oneIn(2)
      ? random.below(80)
      : quantity(random.below(80));
  const percentiles = random
    .list(random.below(4), () => (random.oneIn(10) ? random.pick([-1, 100.5, 101]) : random.below(1001) / 10))
    .sort((a, b) => (random.oneIn(20) ? b - a : a - b));
  return [
    count,
    blockNumberOrTag(random, facts),
    ...(random.oneIn(5) ? [] : [random.oneIn(8) ? null : percentiles]),
  ];
}
