import type { Rule } from './rule.ts';

/**
 * Rules by error code. If clients use a code with different meanings, a pattern of the message distinguishes them. The codes -32000 and -32603 are
 * too general: they have no rules here, and only the text of the message is matched.
 */
export const CODE_RULES: readonly Rule[] = [
  // This rule precedes other rules for the same codes and words. A limit on the blocks of one log request is neither a rate limit nor a missing
  // method.
  {
    client: 'Infura, Alchemy, dRPC, hosted',
    pattern:
      /^(?:query returned more than|logs? (?:matched|response)|query exceeds|.{0,40}\b(?:block )?ranges?\b.{0,60}\b(?:limit|exceed|too (?:large|wide|big)|not supported)|.{0,60}more than \d{1,12} (?:results|blocks|logs))/i,
    kind: 'unknown',
  },

  // -32602 means invalid parameters, unless the node lacks the block, or geth reports the same failure only during execution.
  { client: 'anvil', codes: [-32602], pattern: /^BlockOutOfRangeError\b/i, kind: 'missing' },
  {
    client: 'reth',
    codes: [-32602],
    pattern: /^distance to target block exceeds maximum proof window/i,
    kind: 'missing',
  },
  { client: 'Besu', codes: [-32602], pattern: /^invalid block param \(block not found\)/i, kind: 'missing' },
  {
    client: 'zkSync',
    codes: [-32602],
    pattern: /^block (?:with such an ID doesn't exist yet|not found|`?[0-9a-fx]{1,66}`? not found)/i,
    kind: 'missing',
  },
  { client: 'Nethermind', codes: [-32602], pattern: /^position index is incorrect/i, kind: 'missing' },
  {
    client: 'anvil',
    codes: [-32602],
    pattern: /^invalid input: `max_priority_fee_per_gas` greater than `max_fee_per_gas`/i,
    kind: 'failed',
    geth: 'max priority fee per gas higher than max fee per gas',
  },
  { client: 'reth', codes: [-32602], pattern: /^both gasPrice and\b/i, kind: 'failed' },
  { client: 'JSON-RPC 2.0', codes: [-32602], kind: 'invalid' },

  { client: 'JSON-RPC 2.0', codes: [-32601], kind: 'unsupported' },
  { client: 'Besu', codes: [-32604], kind: 'unsupported' },
  { client: 'QuickNode', codes: [-32612, -32613], kind: 'unsupported' },
  { client: 'dRPC', codes: [35], kind: 'unsupported' },

  { client: 'EIP-4444', codes: [4444], kind: 'pruned' },
  { client: 'execution-apis', codes: [-39001], kind: 'missing' },

  { client: 'proxyd', codes: [-32001], pattern: /^rpc method is not whitelisted/i, kind: 'unsupported' },
  { client: 'Besu', codes: [-32001], pattern: /^nonce too low/i, kind: 'failed', geth: 'nonce too low' },
  { client: 'Infura', codes: [-32001], pattern: /^method\b/i, kind: 'unsupported' },
  { client: 'EIP-1474', codes: [-32001], kind: 'missing' },

  { client: 'geth', codes: [-32002], pattern: /^request timed out/i, kind: 'timeout' },
  {
    client: 'Infura',
    codes: [-32002],
    pattern: /^(?:rejected due to project ID settings|invalid (?:project id|JWT))/i,
    kind: 'unauthorized',
  },
  { client: 'Infura', codes: [-32002], pattern: /\barchive state$/i, kind: 'missing' },
  { client: 'Nethermind', codes: [-32002], pattern: /\bstate\b/i, kind: 'missing' },

  { client: 'geth', codes: [-32003], pattern: /^response too large/i, kind: 'unknown' },

  {
    client: 'Besu',
    codes: [-32004],
    pattern: /^upfront cost exceeds account balance/i,
    kind: 'failed',
    geth: 'insufficient funds for gas * price + value',
  },
  { client: 'EIP-1474', codes: [-32004], kind: 'unsupported' },

  {
    client: 'Besu',
    codes: [-32005],
    pattern: /^transaction gas limit (?:exceeds block gas limit|cap exceeded)/i,
    kind: 'failed',
  },
  { client: 'Infura, Nethermind, Chainstack', codes: [-32005], kind: 'rateLimited' },
  { client: 'Alchemy', codes: [429], kind: 'rateLimited' },
  { client: 'dRPC', codes: [30], pattern: /^request timeout\b/i, kind: 'timeout' },

  { client: 'Besu', codes: [-32006], pattern: /^nonce too high/i, kind: 'failed', geth: 'nonce too high' },
  { client: 'Besu', codes: [-32007], pattern: /^sender account not authorized/i, kind: 'failed' },
  { client: 'QuickNode', codes: [-32007], kind: 'rateLimited' },
  { client: 'Besu', codes: [-32008], pattern: /^initial sync is still in progress/i, kind: 'missing' },
  {
    client: 'Besu',
    codes: [-32009],
    pattern: /^gas price below current base fee/i,
    kind: 'failed',
    geth: 'max fee per gas less than block base fee',
  },
  { client: 'Besu', codes: [-32009], pattern: /^(?:gas price below|blob gas price below)/i, kind: 'failed' },
  { client: 'QuickNode', codes: [-32009], kind: 'rateLimited' },
  { client: 'QuickNode', codes: [-32010], pattern: /^transaction cost exceeds gas limit/i, kind: 'failed' },
  { client: 'proxyd', codes: [-32012], pattern: /^backend is over capacity/i, kind: 'rateLimited' },
  { client: 'QuickNode', codes: [-32012], pattern: /\bcredits limited\b/i, kind: 'rateLimited' },
  { client: 'proxyd', codes: [-32015], pattern: /^gateway timeout/i, kind: 'timeout' },
  {
    client: 'Alchemy, proxyd',
    codes: [-32016, -32017],
    pattern: /\brate limit/i,
    kind: 'rateLimited',
  },
  {
    client: 'Nethermind',
    codes: [-32016, -32017],
    pattern: /\btime(?:d? ?out|limit)|\bcancel|\bbusy\b/i,
    kind: 'timeout',
  },
  { client: 'proxyd', codes: [-32019], pattern: /^block is out of range/i, kind: 'missing' },
  { client: 'proxyd', codes: [-32024], kind: 'rateLimited' },

  { client: 'Besu', codes: [-40100], kind: 'unauthorized' },
  { client: 'Ankr', codes: [-32052], kind: 'unauthorized' },
];
