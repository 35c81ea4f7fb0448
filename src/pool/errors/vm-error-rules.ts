import type { Rule } from './rule.ts';

/**
 * Texts that Parity and Nethermind write into the `data` of a VM error, except for reverts. A pattern must match the whole text, because `data` may
 * contain the reason of a contract instead. A text that matches no pattern is a reason.
 */
export const VM_ERROR_RULES: readonly (Rule & { readonly pattern: RegExp })[] = [
  { client: 'Nethermind, OpenEthereum', pattern: /^out ?of ?gas$/i, kind: 'failed', geth: 'out of gas' },
  { client: 'Nethermind', pattern: /^badinstruction$/i, kind: 'failed', geth: 'invalid opcode' },
  {
    client: 'OpenEthereum',
    pattern: /^bad instruction ([0-9a-f]{1,2})$/i,
    kind: 'failed',
    geth: 'invalid opcode: opcode 0x$1 not defined',
  },
  {
    client: 'Nethermind, OpenEthereum',
    pattern: /^(?:invalidjumpdestination|bad jump destination [0-9a-fx]{1,66})$/i,
    kind: 'failed',
    geth: 'invalid jump destination',
  },
  {
    client: 'Nethermind, OpenEthereum',
    pattern: /^(?:stackunderflow|stack underflow \d{1,5}\/\d{1,5})$/i,
    kind: 'failed',
    geth: 'stack underflow',
  },
  {
    client: 'Nethermind, OpenEthereum',
    pattern: /^(?:stackoverflow|out of stack \d{1,5}\/\d{1,5})$/i,
    kind: 'failed',
    geth: 'stack limit reached 1024 (1023)',
  },
  {
    client: 'Nethermind, OpenEthereum',
    pattern: /^(?:staticcallviolation|mutable call in static context)$/i,
    kind: 'failed',
    geth: 'write protection',
  },
  {
    client: 'Nethermind',
    pattern: /^insufficient sender balance(?: for transfer)?$/i,
    kind: 'failed',
    geth: 'insufficient funds for transfer',
  },
  {
    client: 'Nethermind, OpenEthereum',
    pattern: /^(?:precompilefailure|built-in failed(?:: .{1,200})?)$/i,
    kind: 'failed',
  },
  {
    client: 'Nethermind',
    pattern: /^accessviolation$/i,
    kind: 'failed',
    geth: 'return data out of bounds',
  },
  {
    client: 'Nethermind',
    pattern: /^notenoughbalance$/i,
    kind: 'failed',
    geth: 'insufficient balance for transfer',
  },
  {
    client: 'Nethermind',
    pattern: /^transactioncollision$/i,
    kind: 'failed',
    geth: 'contract address collision',
  },
  {
    client: 'Nethermind',
    pattern: /^invalidcode$/i,
    kind: 'failed',
    geth: 'invalid code: must not begin with 0xef',
  },
  { client: 'Nethermind', pattern: /^calldepthexceeded$/i, kind: 'failed', geth: 'max call depth exceeded' },
  {
    client: 'Nethermind',
    pattern: /^miner premium is negative$/i,
    kind: 'failed',
    geth: 'max fee per gas less than block base fee',
  },
  {
    client: 'Nethermind',
    pattern: /^gas limit below intrinsic gas$/i,
    kind: 'failed',
    geth: 'intrinsic gas too low',
  },
  {
    client: 'OpenEthereum',
    pattern: /^internal\("requires higher than upper limit of (\d{1,20})"\)$/i,
    kind: 'failed',
    geth: 'gas required exceeds allowance ($1)',
  },
  {
    client: 'OpenEthereum',
    pattern: /^notenoughcash \{ required: \d{1,78}, got: \d{1,78} \}$/i,
    kind: 'failed',
    geth: 'insufficient funds for gas * price + value',
  },
];
