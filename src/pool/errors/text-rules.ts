import type { Rule } from './rule.ts';

/**
 * Rules by message, for errors whose code has no rule. Contracts cannot influence an error that reaches these rules, because reverts are recognized
 * before.
 */
export const TEXT_RULES: readonly Rule[] = [
  // Pruned data.
  { client: 'geth, reth, Besu', pattern: /^pruned history unavailable/i, kind: 'pruned' },
  { client: 'Erigon', pattern: /^old data not available due to pruning/i, kind: 'pruned' },
  {
    client: 'Erigon',
    pattern: /\bdata before txNum=\d{1,20} is not available/i,
    kind: 'pruned',
  },
  { client: 'hosted', pattern: /^block \d{1,20} cleaned up, does not exist on node/i, kind: 'pruned' },

  // Missing block or state.
  { client: 'geth', pattern: /^(?:header|header for hash|body) not found/i, kind: 'missing' },
  { client: 'geth', pattern: /^(?:finalized|safe|pending) (?:block|header) not found/i, kind: 'missing' },
  { client: 'geth', pattern: /^pending (?:block|receipts|state) is not available/i, kind: 'missing' },
  { client: 'geth', pattern: /^transaction indexing is in progress/i, kind: 'missing' },
  { client: 'geth', pattern: /^(?:block|header) #\[[0-9 ]{1,140}\] not found/i, kind: 'missing' },
  { client: 'geth', pattern: /^(?:err: )?missing trie node\b/i, kind: 'missing' },
  {
    client: 'geth',
    pattern:
      /^(?:required )?historical state (?:[0-9a-fx]{1,66} )?(?:unavailable|is not available|not available)/i,
    kind: 'missing',
  },
  { client: 'geth', pattern: /^state (?:0x)?[0-9a-f.]{1,66} is not available/i, kind: 'missing' },
  { client: 'geth', pattern: /^hash [0-9a-fx]{1,66} is not currently canonical/i, kind: 'missing' },
  { client: 'geth, hosted', pattern: /^unknown (?:ancestor|block)\b/i, kind: 'missing' },
  {
    client: 'geth, reth, Besu, Erigon',
    pattern: /^(?:the )?(?:parent )?block (?:#?[0-9a-fx(). ]{1,140} )?(?:was )?not found/i,
    kind: 'missing',
  },
  { client: 'Erigon', pattern: /^(?:could not find|couldn't find) (?:the )?block\b/i, kind: 'missing' },
  {
    client: 'reth',
    pattern: /^(?:unknown block number|header range not found|receipts not found)/i,
    kind: 'missing',
  },
  { client: 'reth', pattern: /^state at block #?\d{1,20} is pruned/i, kind: 'pruned' },
  { client: 'reth', pattern: /^block is too old, outside validation window/i, kind: 'missing' },
  { client: 'Nethermind', pattern: /^(?:0x)?[0-9a-f]{1,64} could not be found/i, kind: 'missing' },
  { client: 'Nethermind', pattern: /^no state (?:available )?for (?:block )?\b/i, kind: 'missing' },
  {
    client: 'Nethermind',
    pattern: /^(?:cannot find|can't find|could not find) (?:block|header|parent)\b/i,
    kind: 'missing',
  },
  { client: 'Besu', pattern: /^world ?state unavailable/i, kind: 'missing' },
  { client: 'anvil', pattern: /^(?:resource not found|required data unavailable)/i, kind: 'missing' },
  {
    client: 'OpenEthereum',
    pattern: /^this request is not supported because your node is running with state pruning/i,
    kind: 'missing',
  },
  {
    client: 'OpenEthereum',
    pattern:
      /^(?:looks like you disabled ancient block download|block information is incomplete while ancient|requested block number is in a range that is not available yet)/i,
    kind: 'missing',
  },
  {
    client: 'op-geth',
    pattern: /^(?:no historical RPC is available|historical backend error)\b/i,
    kind: 'missing',
  },
  {
    client: 'Avalanche',
    pattern: /^(?:cannot query unfinalized data|requested to block .{1,80} after last accepted block)/i,
    kind: 'missing',
  },
  { client: 'hosted', pattern: /^upstream does not have the requested block yet/i, kind: 'missing' },
  {
    client: 'hosted',
    pattern: /^(?:request beyond head block|height \d{1,20} is not available)/i,
    kind: 'missing',
  },
  {
    client: 'Infura',
    pattern: /^project ID (?:does not have access|is required) to (?:access )?archive state/i,
    kind: 'missing',
  },
  {
    client: 'hosted',
    pattern: /^(?:access to )?archiv(?:e|al)\b.{0,80}\bplan\b/i,
    kind: 'missing',
  },

  // Rate limits.
  {
    client: 'hosted',
    pattern: /\b(?:rate[- ]limit|rate exceeded|too many requests|too much load|over capacity)/i,
    kind: 'rateLimited',
  },
  {
    client: 'Infura',
    pattern: /^(?:daily request count exceeded|project ID request rate exceeded)/i,
    kind: 'rateLimited',
  },
  {
    client: 'Alchemy',
    pattern: /\bexceeded its (?:compute units|concurrent requests|requests per second|throughput)\b/i,
    kind: 'rateLimited',
  },
  { client: 'Alchemy', pattern: /^monthly capacity limit exceeded/i, kind: 'rateLimited' },
  {
    client: 'QuickNode',
    pattern: /\b(?:request limit reached|(?:credits|requests) limited to)\b/i,
    kind: 'rateLimited',
  },
  {
    client: 'Chainstack',
    pattern: /^you've (?:exceeded the RPS limit|reached the (?:monthly )?quota)/i,
    kind: 'rateLimited',
  },
  {
    client: 'hosted',
    pattern:
      /\b(?:reached|exceeded) (?:the|your) (?:(?:free|daily|monthly|maximum|public) ){0,2}(?:tier|quota|API usage limit|qps limit|CUPS limit|request limit)/i,
    kind: 'rateLimited',
  },

  // Refused credentials.
  {
    client: 'Ankr',
    pattern: /^(?:unauthorized\b|API key is not allowed|message: API key is not allowed)/i,
    kind: 'unauthorized',
  },
  { client: 'Alchemy', pattern: /^must be authenticated/i, kind: 'unauthorized' },
  {
    client: 'Infura, dRPC, hosted',
    pattern:
      /^(?:invalid (?:API key|access key|project id|JWT|token)\b|project id required in the url|token is invalid|(?:API|access) key (?:is )?(?:invalid|missing|required|not found|disabled|expired)|authentication (?:required|failed))/i,
    kind: 'unauthorized',
  },

  // Unsupported methods.
  {
    client: 'geth, hosted',
    pattern:
      /^(?:the )?(?:rpc )?method (?:[a-z0-9_]{1,80} )?(?:does not exist|is not available|is not whitelisted|is not supported|is not enabled|is not allowed|is disabled|not found|not supported|not available|not allowed)/i,
    kind: 'unsupported',
  },
  { client: 'Alchemy', pattern: /^unsupported method\b/i, kind: 'unsupported' },
  { client: 'anvil', pattern: /^rpc endpoint not implemented/i, kind: 'unsupported' },
  {
    client: 'hosted',
    pattern:
      /\b(?:not (?:available|included|supported) (?:on|in|with) your (?:current )?plan|upgrade (?:your|to a?) ?(?:paid )?(?:plan|tier))\b/i,
    kind: 'unsupported',
  },
  {
    client: 'OpenEthereum',
    pattern: /^(?:this request is not implemented yet|.{1,60} is disabled\. This API is not available)/i,
    kind: 'unsupported',
  },
  { client: 'proxyd', pattern: /^no backends available for method/i, kind: 'unsupported' },

  // Timeouts. geth's `execution aborted` is missing, because geth reports it for a time limit of the execution, which is an answer.
  {
    client: 'geth',
    pattern: /^(?:request timed out|execution timeout|context deadline exceeded)/i,
    kind: 'timeout',
  },
  { client: 'Besu', pattern: /^timeout expired/i, kind: 'timeout' },
  {
    client: 'hosted',
    pattern: /^(?:gateway timeout|request (?:failed or )?timed? ?out\b|query timeout)/i,
    kind: 'timeout',
  },

  // Invalid requests.
  {
    client: 'geth forks, hosted',
    pattern:
      /^(?:invalid argument \d|missing value for required argument \d|too many arguments, want at most \d|invalid params?\b)/i,
    kind: 'invalid',
  },
];
