/**
 * Where the service means to differ from geth: one row each, pinned to what both say. A request that differs in another way
 * fails, and so does a row that a whole run has not used.
 */
import type { GeneratedRequest } from '../requests/generators.ts';
import type { Outcome } from './outcome.ts';

export type Route = 'embedded' | 'HTTP node' | 'WebSocket node';

export type Difference = {
  readonly reason: string;
  /** Methods that it is about; absent: all. */
  readonly methods?: readonly string[];
  /** Routes that it is about; absent: all. */
  readonly routes?: readonly Route[];
  /** The whole outcome of each side. */
  readonly ours: RegExp;
  /** What must be left out of both, for them to be equal; absent: what each says is all that is asked for. */
  readonly except?: RegExp;
  readonly geth: RegExp;
  /** What else must hold of the request. */
  readonly when?: (request: GeneratedRequest) => boolean;
};

const INVALID = /^error -32602 .*$/s;
const CALLS = ['eth_call', 'eth_estimateGas', 'eth_createAccessList'];
const BLOCKS = ['eth_getBlockByNumber', 'eth_getBlockByHash'];

/** Whether a call has one of these block overrides. */
function overrides(request: GeneratedRequest, ...names: readonly string[]): boolean {
  const block = request.params[3];
  return typeof block === 'object' && block !== null && names.some((name) => name in block);
}

export const DIFFERENCES: readonly Difference[] = [
  {
    reason: 'the words for a malformed parameter name its place and what was expected',
    ours: INVALID,
    geth: INVALID,
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
      'geth crashes where a block is moved to a fork whose header fields it has not, or has one too many',
    methods: CALLS,
    routes: ['embedded'],
    ours: /^(?:result "0x[0-9a-f]*"|error -32000 .*|error 3 .*)$/s,
    geth: /^error -32603 method handler crashed$/,
    when: (request) => overrides(request, 'number', 'time', 'difficulty', 'prevRandao'),
  },
  {
    reason: 'a crash of a node is no fault of this program, whose code is -32603',
    methods: CALLS,
    routes: ['HTTP node', 'WebSocket node'],
    ours: /^error -32000 method handler crashed$/,
    geth: /^error -32603 method handler crashed$/,
  },
  {
    reason: 'the pending header of an embedded chain is in its pending block alone',
    methods: ['eth_getHeaderByNumber'],
    routes: ['embedded'],
    ours: /^result null$/,
    geth: /^result \{.*"hash":null.*\}$/s,
    when: ({ params }) => params[0] === 'pending',
  },
  {
    reason:
      'the pending block of an embedded chain comes a slot after the head, and nothing is executed in it',
    methods: ['eth_getBlockByNumber'],
    routes: ['embedded'],
    ours: /^result \{.*"extraData":"0x",.*"hash":null,.*\}$/s,
    geth: /^result \{.*"hash":null,.*\}$/s,
    except: /"(?:extraData|size|stateRoot|timestamp)":"0x[0-9a-f]*"/g,
    when: ({ params }) => params[0] === 'pending',
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
    except: /0x[0-9a-f]+|\d+/g,
    when: ({ params }) => JSON.stringify(params[1] ?? null).includes('"pending"'),
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
    methods: ['eth_getBlockByNumber', 'eth_getHeaderByNumber'],
    routes: ['HTTP node', 'WebSocket node'],
    ours: /^result \{.*"hash":null.*\}$/s,
    geth: /^result \{.*"hash":null.*\}$/s,
    except: /"timestamp":"0x[0-9a-f]+"/,
    when: ({ params }) => params[0] === 'pending',
  },
  {
    reason: 'whether transactions are wanted may be left out, and is no then',
    methods: BLOCKS,
    ours: /^result (?:null|\{.*\})$/s,
    geth: /^error -32602 missing value for required argument 1$/,
    when: ({ params }) => (params[1] ?? null) === null,
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

/** The row that explains why a request's outcomes differ; undefined when none does. */
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
      (when === undefined || when(request)),
  );
}
