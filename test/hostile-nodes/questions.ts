/** Every request that a node receives, from the service itself and from clients, one row each. */
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { makeTransaction } from '../support/bad-transactions.ts';
import { FACTS } from '../support/development.ts';
import type { Call } from '../support/faults/fault.ts';
import type { NodeTransport } from '../support/hostile/deliveries.ts';
import type { Request } from '../verified/truth.ts';

/**
 * Limit of an answer's size:
 * - `question`: a header, a quantity, a hash, a proof: a larger answer is the node's fault
 * - `caller`: logs, traces, receipts of a block: a too large answer is no fault
 * - `both`: bounded by the chain's rules, far above usual sizes: the fault is left open
 */
export type SizeRule = 'question' | 'caller' | 'both';

/**
 * Role of the hostile server where it is no node of the network: a private relay for transactions, the layer 1 of a rollup, its op-node, or
 * the key set of a token issuer; `doctor`: a node of a network that `portcullis doctor` examines.
 */
export type Place = 'relay' | 'layer 1' | 'op-node' | 'key set' | 'doctor';

export type HostileQuestion = {
  readonly name: string;
  readonly place?: Place;
  readonly size: SizeRule;
  /** The client's request, different at each attempt. Absent: the service itself, or `doctor`, sends it. */
  readonly ask?: (attempt: number) => Request;
  /** Whether a client may get any result, because no check here can refute it. */
  readonly isOneNodesWord?: true;
  /** Whether the service sends it only seconds after a network is available. */
  readonly isLate?: true;
  /** Whether one of several nodes gets the request, rather than each of them. */
  readonly isAskedOfOne?: true;
  /** Whether a node answers this call with hostile content. */
  concerns(call: Call): boolean;
  readonly transports?: readonly NodeTransport[];
};

const CHAIN_ID: number = FACTS.devnet.chainId;
const { tokenBalance, tokenTransfer } = FACTS.devnet.calls;
const TOKEN: string = FACTS.devnet.erc20;
const hex = (value: number): string => `0x${value.toString(16)}`;
/** Number of blocks with transactions and uncles; requests alternate between them, so that no cached answer is reused. */
const BLOCKS = 60;
const block = (attempt: number): string => hex(2 + (attempt % BLOCKS));
const accounts = FACTS.devnet.accounts.map(({ address }) => address);
const account = (attempt: number): string => accounts[attempt % accounts.length] as string;
const sendable = (nonce: number): string =>
  bytesToHex(makeTransaction({ chainId: BigInt(CHAIN_ID), nonce: BigInt(nonce) }));
/** Methods that identify a node, sent before any other request. */
const IDENTITY: ReadonlySet<string> = new Set(['eth_chainId', 'net_version', 'web3_clientVersion']);
const slot = (attempt: number): string => hex(100 + attempt);
const word = (value: number): string => value.toString(16).padStart(64, '0');

const isMethod =
  (...methods: readonly string[]): HostileQuestion['concerns'] =>
  ({ method }) =>
    methods.includes(method);
const isBlock =
  (reference: RegExp, isFull: boolean): HostileQuestion['concerns'] =>
  ({ method, params }) =>
    method === 'eth_getBlockByNumber' && reference.test(String(params[0])) && params[1] === isFull;

const service = (
  name: string,
  size: SizeRule,
  concerns: HostileQuestion['concerns'],
  transports?: readonly NodeTransport[],
): HostileQuestion => ({ name: `service: ${name}`, size, concerns, ...(transports && { transports }) });

/** A request that the service sends to one node to find out which answers can be verified. */
const calibration = (
  what: string,
  size: SizeRule,
  concerns: HostileQuestion['concerns'],
): HostileQuestion => ({
  ...service(`calibration: ${what}`, size, concerns),
  isLate: true,
  isAskedOfOne: true,
});

/** Methods whose answers are not recomputed, and by default not compared with those of other nodes. */
const UNVERIFIED: ReadonlySet<string> = new Set([
  'debug_traceTransaction',
  'eth_call',
  'eth_createAccessList',
  'eth_feeHistory',
  'eth_simulateV1',
]);

const client = (
  method: string,
  size: SizeRule,
  params: (attempt: number) => readonly unknown[],
  concerns: HostileQuestion['concerns'] = isMethod(method),
): HostileQuestion => ({
  name: method,
  size,
  ask: (attempt) => ({ method, params: params(attempt) }),
  concerns,
  isAskedOfOne: true,
  ...(UNVERIFIED.has(method) && { isOneNodesWord: true }),
});

const elsewhere = (
  place: Place,
  concerns: HostileQuestion['concerns'],
  { name = place, ask, transports }: Partial<Pick<HostileQuestion, 'name' | 'ask' | 'transports'>> = {},
): HostileQuestion => ({
  name,
  place,
  size: 'both',
  concerns,
  isOneNodesWord: true,
  ...(ask && { ask }),
  ...(transports && { transports }),
});

/** Appends calldata that the contract does not read. */
const lengthen = (call: object, attempt: number): object => {
  const { data } = call as { readonly data: string };
  return { ...call, data: data + word(attempt) };
};

export const QUESTIONS: readonly HostileQuestion[] = [
  service('latest head', 'question', isBlock(/^latest$/, false)),
  { ...service('safe head', 'question', isBlock(/^safe$/, false)), isLate: true },
  { ...service('finalized head', 'question', isBlock(/^finalized$/, false)), isLate: true },
  service('headers by number', 'question', isBlock(/^0x[1-9a-f]/, false)),
  service('genesis block', 'question', isBlock(/^0x0$/, false)),
  service('eth_chainId', 'question', isMethod('eth_chainId')),
  service('web3_clientVersion', 'question', isMethod('web3_clientVersion')),
  service('eth_syncing', 'question', isMethod('eth_syncing')),
  calibration('block', 'both', isBlock(/^0x/, true)),
  calibration('receipts', 'both', isMethod('eth_getBlockReceipts')),
  calibration('logs', 'both', isMethod('eth_getLogs')),
  calibration('proof', 'question', isMethod('eth_getProof')),
  service('eth_subscribe', 'question', isMethod('eth_subscribe'), ['WebSocket']),
  client('eth_call', 'both', (attempt) => [lengthen(tokenBalance, attempt), 'latest']),
  client('eth_estimateGas', 'question', (attempt) => [lengthen(tokenTransfer, attempt)]),
  client('eth_getBlockReceipts', 'caller', (attempt) => [block(attempt)]),
  client('eth_getTransactionByBlockNumberAndIndex', 'both', (attempt) => [block(attempt), '0x0']),
  client(
    'eth_getUncleByBlockNumberAndIndex',
    'question',
    () => ['0x4', '0x0'],
    ({ method }) => method.startsWith('eth_getUncleBy'),
  ),
  client('eth_getProof', 'question', (attempt) => [account(attempt), [slot(attempt)], 'latest']),
  client('eth_getLogs', 'caller', (attempt) => [{ fromBlock: '0x1', toBlock: hex(40 + (attempt % 20)) }]),
  client('eth_getBlockByNumber', 'both', (attempt) => [block(attempt), true], isBlock(/^0x/, true)),
  client(
    'eth_getBalance',
    'question',
    (attempt) => [account(attempt), block(70 + attempt)],
    isMethod('eth_getBalance', 'eth_getProof'),
  ),
  client('eth_getCode', 'both', (attempt) => [TOKEN, hex(FACTS.devnet.headNumber - (attempt % 10))]),
  client(
    'eth_getStorageAt',
    'question',
    (attempt) => [TOKEN, slot(attempt), 'latest'],
    isMethod('eth_getStorageAt', 'eth_getProof'),
  ),
  client('eth_getTransactionByHash', 'both', (attempt) => [hashOf(attempt)]),
  client('eth_getTransactionReceipt', 'both', (attempt) => [hashOf(attempt)]),
  client('eth_gasPrice', 'question', () => []),
  client('eth_feeHistory', 'question', (attempt) => [hex(2 + (attempt % 20)), 'latest', []]),
  client('eth_createAccessList', 'both', (attempt) => [lengthen(tokenTransfer, attempt), 'latest']),
  client('eth_simulateV1', 'caller', (attempt) => [
    { blockStateCalls: [{ calls: [lengthen(tokenTransfer, attempt)] }] },
    'latest',
  ]),
  client('debug_traceTransaction', 'caller', (attempt) => [hashOf(attempt)]),
  client('eth_sendRawTransaction', 'question', (attempt) => [sendable(attempt)]),
  elsewhere('relay', isMethod('eth_sendRawTransaction'), {
    ask: (attempt) => ({ method: 'eth_sendRawTransaction', params: [sendable(100 + attempt)] }),
    transports: ['HTTP'],
  }),
  elsewhere('layer 1', isMethod('eth_getBlockByNumber'), {
    ask: () => ({ method: 'rollup_getInfo', params: [] }),
  }),
  ...['optimism_syncStatus', 'admin_sequencerActive'].map((method) =>
    elsewhere('op-node', isMethod(method), {
      name: `op-node: ${method}`,
      ask: () => ({ method: 'rollup_getInfo', params: [] }),
    }),
  ),
  elsewhere('key set', () => true, {
    ask: () => ({ method: 'eth_chainId', params: [] }),
    transports: ['HTTP'],
  }),
  // Requests that precede doctor's examination are covered by those of the service.
  elsewhere('doctor', ({ method, params }) => !IDENTITY.has(method) && params[0] !== '0x0'),
];

/** Transaction hashes, read before any request; requests use one after another. */
let hashes: readonly string[] = [];

/** @param known hashes of transactions of the chain */
export function setTransactionHashes(known: readonly string[]): void {
  hashes = known;
}

function hashOf(attempt: number): string {
  return hashes[attempt % hashes.length] as string;
}

/** @throws Error when no request has this name */
export function findHostileQuestion(name: string): HostileQuestion {
  const request = QUESTIONS.find((one) => one.name === name);
  if (request === undefined) throw new Error(`there is no question "${name}"`);
  return request;
}
