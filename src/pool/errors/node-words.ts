import { stripPreamble } from './strip-preamble.ts';

/** Error messages with which the various node clients refuse a transaction. */

/**
 * Verdict on a sent transaction. `known`: the node already has the transaction. `nonceTooLow`: a block contains the transaction, or another
 * transaction with the same nonce.
 */
export type SendVerdict = 'known' | 'nonceTooLow' | 'refused';

type Row = {
  /** Clients that use the message. */
  readonly client: string;
  readonly pattern: RegExp;
  readonly verdict: SendVerdict;
  /** Equivalent message of geth, if the node's message differs. */
  readonly geth?: string;
};

const UNDERPRICED = 'transaction underpriced';
const REPLACEMENT = 'replacement transaction underpriced';
const FUNDS = 'insufficient funds for gas * price + value';
const NONCE_HIGH = 'nonce too high';
const NONCE_LOW = 'nonce too low';
const BLOCK_GAS = 'exceeds block gas limit';
const INTRINSIC = 'intrinsic gas too low';
const POOL_FULL = 'txpool is full';

/** The first matching row applies. Patterns match at the beginning of a text of bounded length. */
const ROWS: readonly Row[] = [
  // The node has the transaction.
  { client: 'geth, reth, Erigon, Arbitrum', pattern: /^already known\b/i, verdict: 'known' },
  {
    client: 'geth before 1.9.14, Besu, hardhat, zkSync',
    pattern: /^known transaction\b/i,
    verdict: 'known',
  },
  { client: 'Nethermind', pattern: /^alreadyknown\b/i, verdict: 'known' },
  {
    client: 'Erigon',
    pattern: /^existing tx with same hash/i,
    verdict: 'known',
  },
  {
    client: 'anvil',
    pattern: /^(?:\[.{1,80}\] )?(?:transaction )?already imported\b/i,
    verdict: 'known',
  },
  {
    client: 'OpenEthereum',
    pattern: /^transaction with the same hash was already imported/i,
    verdict: 'known',
  },
  {
    client: 'Ethermint',
    pattern: /^tx already (?:exists )?in (?:cache|mempool)\b/i,
    verdict: 'known',
  },
  {
    client: 'hosted',
    pattern: /^(?:transaction|tx) (?:is )?(?:already (?:exists|known|in (?:the )?(?:mempool|pool)))\b/i,
    verdict: 'known',
  },

  // A transaction with this nonce is already in a block.
  { client: 'geth, reth, Erigon, anvil, Besu', pattern: /^nonce too low\b/i, verdict: 'nonceTooLow' },
  {
    client: 'Nethermind',
    pattern: /^oldnonce\b/i,
    verdict: 'nonceTooLow',
    geth: NONCE_LOW,
  },
  {
    client: 'OpenEthereum, zkSync',
    pattern: /^(?:transaction nonce is too low|transaction nonce too low|nonce is too low)\b/i,
    verdict: 'nonceTooLow',
    geth: NONCE_LOW,
  },
  {
    client: 'revm',
    pattern: /^nonce \d{1,20} too low/i,
    verdict: 'nonceTooLow',
    geth: NONCE_LOW,
  },

  // Refusals with geth's own message.
  {
    client: 'geth and those that follow it',
    pattern:
      /^(?:transaction underpriced|replacement transaction underpriced|future transaction tries to replace pending|insufficient funds for (?:gas \* price \+ value|transfer)|nonce too high|nonce has max value|exceeds block gas limit|intrinsic gas too low|insufficient gas for floor data gas cost|txpool is full|account limit exceeded|transaction gas price below minimum|tx fee \(|max (?:priority )?fee per gas|max fee per blob gas|gapped-nonce tx from delegated|in-flight transaction limit reached|address already reserved|authority already reserved|sender not an eoa|oversized data|invalid sender|transaction type not supported|transaction gas limit too high|max initcode size exceeded|KZG verification error|wrong sidecar format|transaction blob limit exceeded|only replay-protected)/i,
    verdict: 'refused',
  },

  // Refusals with messages that differ from geth's.
  {
    client: 'Nethermind',
    pattern: /^(?:feetoolow|feetoolowtocompete)\b/i,
    verdict: 'refused',
    geth: UNDERPRICED,
  },
  {
    client: 'Besu',
    pattern: /^(?:gas price below configured minimum|transaction gas price below)/i,
    verdict: 'refused',
    geth: UNDERPRICED,
  },
  {
    client: 'anvil',
    pattern: /^(?:\[.{1,80}\] )?transaction underpriced/i,
    verdict: 'refused',
    geth: UNDERPRICED,
  },
  {
    client: 'Nethermind',
    pattern: /^replacementnotallowed\b/i,
    verdict: 'refused',
    geth: REPLACEMENT,
  },
  { client: 'Erigon', pattern: /^could not replace existing tx/i, verdict: 'refused', geth: REPLACEMENT },
  {
    client: 'OpenEthereum, hardhat',
    pattern:
      /^(?:transaction gas price is too low\. there is another|replacement transaction underpriced\.)/i,
    verdict: 'refused',
    geth: REPLACEMENT,
  },
  { client: 'Nethermind', pattern: /^insufficientfunds\b/i, verdict: 'refused', geth: FUNDS },
  {
    client: 'Besu',
    pattern: /^upfront cost exceeds account balance/i,
    verdict: 'refused',
    geth: FUNDS,
  },
  {
    client: 'hardhat',
    pattern: /^sender doesn't have enough funds to send tx/i,
    verdict: 'refused',
    geth: FUNDS,
  },
  {
    client: 'OpenEthereum, revm',
    pattern: /^(?:insufficient funds\. the account you tried|lack of funds \()/i,
    verdict: 'refused',
    geth: FUNDS,
  },
  { client: 'Nethermind', pattern: /^noncegap\b/i, verdict: 'refused', geth: NONCE_HIGH },
  {
    client: 'Besu',
    pattern: /^transaction nonce is too distant from current sender nonce/i,
    verdict: 'refused',
    geth: NONCE_HIGH,
  },
  { client: 'Nethermind', pattern: /^gaslimitexceeded\b/i, verdict: 'refused', geth: BLOCK_GAS },
  {
    client: 'Besu',
    pattern: /^transaction gas limit exceeds block gas limit/i,
    verdict: 'refused',
    geth: BLOCK_GAS,
  },
  {
    client: 'hardhat, revm',
    pattern:
      /^(?:transaction gas limit is \d{1,20} and exceeds block gas limit|caller gas limit exceeds the block)/i,
    verdict: 'refused',
    geth: BLOCK_GAS,
  },
  {
    client: 'Besu, OpenEthereum, revm',
    pattern: /^(?:intrinsic gas exceeds gas limit|transaction gas is too low\.|call gas cost \()/i,
    verdict: 'refused',
    geth: INTRINSIC,
  },
  { client: 'Nethermind', pattern: /^(?:txpoolfull|pool is full)\b/i, verdict: 'refused', geth: POOL_FULL },
  { client: 'Nethermind', pattern: /^senderiscontract\b/i, verdict: 'refused', geth: 'sender not an eoa' },
  { client: 'Nethermind', pattern: /^sent ?transaction is invalid/i, verdict: 'refused' },
];

/** Verdict on the transaction, and message for the client: geth's equivalent message if it is known, otherwise the node's message. */
export type SendWords = { readonly verdict: SendVerdict; readonly message: string };

/** @returns undefined if no row matches */
export function readSendWords(text: string): SendWords | undefined {
  const words = stripPreamble(text);
  const row = ROWS.find(({ pattern }) => pattern.test(words));
  return row && { verdict: row.verdict, message: row.geth ?? words };
}
