/**
 * Intended differences of the service from geth, one row each, pinned to the outcomes of both. A request with another difference
 * fails, and so does a row that a whole run has not used.
 */
import type { GeneratedRequest } from '../requests/generators.ts';
import type { Outcome } from './outcome.ts';

export type Route = 'embedded' | 'HTTP node' | 'WebSocket node' | 'proven state';

export type Difference = {
  readonly reason: string;
  /** Methods to which the row applies; absent: all. */
  readonly methods?: readonly string[];
  /** Routes to which the row applies; absent: all. */
  readonly routes?: readonly Route[];
  /** Pattern of the whole outcome of each side. */
  readonly ours: RegExp;
  /** Text to remove from both outcomes, after which they must be equal; absent: matching the patterns is enough. */
  readonly except?: RegExp;
  readonly geth: RegExp;
  /** Reason why a whole run may not need the row; absent: every whole run needs it. */
  readonly chance?: string;
  /** Further condition on both outcomes. */
  readonly holds?: (ours: Outcome, geth: Outcome) => boolean;
  /** Further condition on the request. */
  readonly when?: (request: GeneratedRequest) => boolean;
};

/** Routes on which a node answers, or may have to. */
const NODES: readonly Route[] = ['HTTP node', 'WebSocket node', 'proven state'];
/** Routes on which this program executes. */
const EXECUTED_HERE: readonly Route[] = ['embedded', 'proven state'];
const INVALID = /^error -32602 .*$/s;
const CALLS = ['eth_call', 'eth_estimateGas', 'eth_createAccessList'];
const SIMULATED_IN_TIME = /^(?:result \[.*\]|error -38021 block timestamps must be in order: \d+ <= \d+)$/s;
/** Seconds since 1970, from 2021 to 2038, as a word. */
const WORDS_OF_TIMES = /0{56}[67][0-9a-f]{7}/g;
/** Blob prices that begin before Cancun. */
const FIRST_BLOB_PRICES = /^result \{"baseFeePerBlobGas":\[(?:"0x0",)+"0x1"[^\]]*\]/;

/** Fields of a filled transaction that depend on a suggested tip. */
const SUGGESTED = /"(?:hash|maxFeePerGas|maxPriorityFeePerGas|raw)":"0x[0-9a-f]*"/g;

/** Compares the fee cap minus the tip of filled transactions, wei; where the request sets the cap, it is equal on both sides. */
function haveSameBaseFee(ours: Outcome, geth: Outcome): boolean {
  const [own, other] = [ours, geth].map((outcome) => {
    const read = (name: string): bigint =>
      BigInt(new RegExp(`"${name}":"(0x[0-9a-f]+)"`).exec(outcome)?.[1] ?? 0);
    return { cap: read('maxFeePerGas'), tip: read('maxPriorityFeePerGas') };
  }) as [{ cap: bigint; tip: bigint }, { cap: bigint; tip: bigint }];
  return own.cap === other.cap || own.cap - own.tip === other.cap - other.tip;
}

/** Whether a call has one of these block overrides. */
function overrides(request: GeneratedRequest, ...names: readonly string[]): boolean {
  const block = request.params[3];
  return typeof block === 'object' && block !== null && names.some((name) => name in block);
}

/** Whether a value can be converted by BigInt. */
function isQuantity(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value));
}

export const DIFFERENCES: readonly Difference[] = [
  {
    reason: 'the words for a malformed parameter name its place and what was expected',
    ours: INVALID,
    geth: INVALID,
  },
  {
    reason: 'a fee cap of more than 256 bits is refused; geth estimates with what is left of it in 256 bits',
    methods: ['eth_fillTransaction'],
    ours: /^error -32000 maxPriorityFeePerGas is too high: maxFeePerGas would exceed 256 bits$/,
    geth: /^(?:error (?:-32000|3) .*|result .*)$/s,
    chance: 'it takes a tip of nearly 256 bits without a fee cap',
  },
  {
    reason:
      'a base fee whose sum with the tip exceeds 256 bits is above any fee cap; geth wraps the sum, to no gas price, and then drops the base fee',
    methods: CALLS,
    ours: /^error -32000 .*max fee per gas less than block base fee.*$/s,
    geth: /^(?:error (?:-32000|3) .*|result .*)$/s,
    chance: 'it takes a base fee of 2^256 less the tip',
    when({ params }) {
      const { maxPriorityFeePerGas: tip = 0 } = params[0] as { readonly maxPriorityFeePerGas?: string };
      const { baseFeePerGas = 0 } = (params[3] ?? {}) as { readonly baseFeePerGas?: string };
      return (
        isQuantity(tip) && isQuantity(baseFeePerGas) && BigInt(tip) + BigInt(baseFeePerGas) >= 2n ** 256n
      );
    },
  },
  {
    reason:
      'EIP-7702: a transaction with an authorization whose parity has more than 8 bits is invalid; geth executes it with the lower 8 bits',
    methods: [...CALLS, 'eth_simulateV1', 'eth_fillTransaction'],
    ours: /^error -32602 invalid argument 0: .*hex number > 8 bits$/s,
    geth: /^(?:error (?:-32000|-32603|3) .*|result .*)$/s,
    chance: 'no authorization of a generated call has such a parity',
    when: ({ params }) => /"yParity":"0x0*[1-9a-f][0-9a-f]{2,}"/i.test(JSON.stringify(params[0])),
  },
  {
    reason:
      'spec 2.8: four methods do not support the tag `safe`; the network rejects it unless told otherwise',
    methods: [
      'eth_getUncleByBlockNumberAndIndex',
      'eth_getTransactionByBlockNumberAndIndex',
      'eth_getBlockReceipts',
    ],
    ours: /^error -32602 .*safe.*$/,
    geth: /^result .*$/s,
    when: ({ params }) => JSON.stringify(params[0]).includes('"safe"'),
  },
  {
    reason:
      'geth crashes where a block is moved to a fork with header fields that it has not, or has one too many',
    methods: CALLS,
    routes: EXECUTED_HERE,
    ours: /^(?:result "0x[0-9a-f]*"|error -32000 .*|error 3 .*)$/s,
    geth: /^error -32603 method handler crashed$/,
    when: (request) => overrides(request, 'number', 'time', 'difficulty', 'prevRandao'),
  },
  {
    reason: 'a crash of a node is no fault of this program, which would be -32603',
    methods: CALLS,
    routes: NODES,
    ours: /^error -32000 method handler crashed$/,
    geth: /^error -32603 method handler crashed$/,
  },
  {
    reason:
      'the pending block of an embedded chain comes a slot after the head, and nothing is executed in it',
    methods: ['eth_getBlockByNumber'],
    routes: ['embedded'],
    ours: /^result \{.*"extraData":"0x",.*"hash":null,.*\}$/s,
    geth: /^result \{.*"hash":null,.*\}$/s,
    except: /"(?:blockAccessListHash|extraData|size|stateRoot|timestamp)":"0x[0-9a-f]*"/g,
    when: ({ params }) => params[0] === 'pending',
  },
  {
    reason: 'the pending block of an embedded chain comes a slot after the head, that of geth now',
    methods: ['eth_call'],
    routes: ['embedded'],
    ours: /^(?:result "|error 3 .*)0x(?:[0-9a-f]{2})*"$/s,
    geth: /^(?:result "|error 3 .*)0x(?:[0-9a-f]{2})*"$/s,
    except: WORDS_OF_TIMES,
    when: (request) => request.params[1] === 'pending' && !overrides(request, 'time'),
  },
  {
    reason:
      'the state of the pending block is that of the head where nothing waits; geth has no proofs of it',
    methods: ['eth_getProof'],
    routes: ['embedded'],
    ours: /^result \{"accountProof":\[.*\}$/s,
    geth: /^error -32000 missing trie node [0-9a-f]{64} .* is not available, not found$/,
    when: ({ params }) => JSON.stringify(params[2] ?? null).includes('"pending"'),
  },
  {
    reason: 'geth looks up the hash of its pending block, which it does not keep',
    methods: ['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts'],
    ours: /^error -32000 pending block is not available$/,
    geth: /^error -32000 (?:header|block) #\[[0-9 ]+\] not found$/,
    when: ({ params }) => JSON.stringify(params[0] ?? null).includes('"pending"'),
  },
  {
    reason:
      'blocks simulated at `pending` follow the head of an embedded chain, and the block that geth prepares',
    methods: ['eth_simulateV1'],
    routes: ['embedded'],
    ours: /^(?:result \[.*\]|error -380\d\d .*)$/s,
    geth: /^(?:result \[.*\]|error -380\d\d .*)$/s,
    // The service has one more block without calls in the gap before a requested number.
    except: /\{[^{}]*"calls":\[\][^{}]*\},?|0x[0-9a-f]+|\d+/g,
    when: ({ params }) => JSON.stringify(params[1] ?? null).includes('"pending"'),
  },
  {
    reason:
      'a number or time that is given for a block at `pending` is compared with that of the block that geth prepares',
    methods: ['eth_simulateV1'],
    routes: ['embedded'],
    chance: 'three of 100,000 requests',
    ours: /^(?:result \[.*\]|error -\d+ .*)$/s,
    // The number of geth's pending block is one above the head's, the only number that the head allows.
    geth: /^error (?:-38021 block timestamps must be in order: \d+ <= \d+|-38020 block numbers must be in order: (\d+) <= \1)$/,
    when: ({ params }) =>
      JSON.stringify(params[1] ?? null).includes('"pending"') &&
      /"(?:time|number)"/.test(JSON.stringify(params[0])),
  },
  {
    reason:
      'geth crashes where a priority fee near 2^256 wraps the maximum that it fills in, beside a list of blobs or of authorizations',
    methods: ['eth_createAccessList'],
    routes: EXECUTED_HERE,
    chance: 'one of 100,000 requests',
    ours: /^error -32000 .*$/s,
    geth: /^error -32603 method handler crashed$/,
    when: ({ params }) => {
      const call = JSON.stringify(params[0]);
      return (
        /"maxPriorityFeePerGas":"0xf{50}/.test(call) &&
        /"(?:blobVersionedHashes|authorizationList)":\[/.test(call)
      );
    },
  },
  {
    reason:
      'a list may never converge, where its price leaves too little gas for what it names: geth tries until its connection is closed',
    methods: ['eth_createAccessList'],
    chance: 'about one of 100,000 requests',
    ours: /^error -32000 (?:execution aborted \(timeout = \d+s\)|the access list does not converge: .*)$/,
    geth: /^error -32002 request timed out$/,
  },
  {
    reason: 'an embedded chain keeps all logs, and makes proofs for as many blocks as its file says',
    methods: ['eth_capabilities'],
    routes: ['embedded'],
    ours: /"stateproofs":\{"deleteStrategy":/,
    geth: /"logs":\{"deleteStrategy":/,
    except: /"deleteStrategy":\{[^}]*\},/,
  },
  {
    reason: 'a node prepares its pending block anew from time to time',
    methods: ['eth_getBlockByNumber'],
    routes: NODES,
    chance: 'it must happen between two requests that follow one another',
    ours: /^result \{.*"hash":null.*\}$/s,
    geth: /^result \{.*"hash":null.*\}$/s,
    except: /"timestamp":"0x[0-9a-f]+"/,
    when: ({ params }) => params[0] === 'pending',
  },
  {
    reason:
      'a node prepares its pending block anew from time to time, and what is simulated on it has its time',
    methods: ['eth_simulateV1'],
    routes: NODES,
    chance: 'it must happen between two requests that follow one another',
    ours: SIMULATED_IN_TIME,
    geth: SIMULATED_IN_TIME,
    // State roots and access lists differ too: the contract of EIP-4788 stores timestamps.
    except:
      /"(?:blockAccessListHash|blockHash|blockTimestamp|hash|parentHash|stateRoot|timestamp)":"0x[0-9a-f]+"|\d+$/g,
    when: ({ params }) => JSON.stringify(params[1] ?? null).includes('"pending"'),
  },
  {
    reason:
      'geth computes blocks of a history side by side: the first blob price of Cancun is that of its block or the one expected before it, whichever comes later',
    methods: ['eth_feeHistory'],
    chance: 'which of two computations of geth ends first',
    ours: FIRST_BLOB_PRICES,
    geth: FIRST_BLOB_PRICES,
    // Each entry may be 0 or 1; the number of entries may not differ.
    except: /(?<="baseFeePerBlobGas":\[(?:"0x[01]",)*"0x)[01](?=")/g,
  },
  {
    reason:
      'geth reads the blocks of a suggested tip side by side: how many more it samples depends on which it has read first',
    methods: ['eth_fillTransaction'],
    chance: 'which of its readings geth ends first',
    ours: /^result \{"raw":/,
    geth: /^result \{"raw":/,
    except: SUGGESTED,
    holds: haveSameBaseFee,
    when: ({ params }) => !/"(?:gasPrice|maxPriorityFeePerGas)":/.test(JSON.stringify(params[0])),
  },
  {
    reason: 'spec 2.1: a block object has totalDifficulty, which may be null',
    methods: ['eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'],
    routes: ['embedded'],
    ours: /"totalDifficulty":null/,
    geth: /^result \{.*\}$/s,
    except: /"totalDifficulty":null,/,
  },
];

function without(outcome: Outcome, part: RegExp): Outcome {
  return outcome.replace(part, '');
}

/** Finds the row that explains a difference; undefined when none does. */
export function explain(
  request: GeneratedRequest,
  route: Route,
  ours: Outcome,
  geth: Outcome,
): Difference | undefined {
  return DIFFERENCES.find(
    ({ methods, routes, when, ...row }) =>
      (methods === undefined || methods.includes(request.method)) &&
      (routes === undefined || routes.includes(route)) &&
      row.ours.test(ours) &&
      row.geth.test(geth) &&
      (row.except === undefined || without(ours, row.except) === without(geth, row.except)) &&
      row.holds?.(ours, geth) !== false &&
      (when === undefined || when(request)),
  );
}
