/**
 * Prefixes that relays, proxies and clients put before a node's message, in any order and number. Sources: Erigon and X Layer (`INTERNAL_ERROR: `,
 * `RPC error response: `), Hedera's relay (`[Request ID: …] `), gRPC (`rpc error: code = … desc = `), op-geth (`historical backend error: `), web3.js
 * (`Returned error: `), ethers (`processing response error: `), alloy (`server returned an error response: …`), zkSync.
 */
const PREAMBLE = new RegExp(
  `^(?:${[
    String.raw`\[request id: [0-9a-f-]{1,64}\]:?\s`,
    'historical backend error: ',
    String.raw`rpc error: code = \w{1,40} desc = `,
    '(?:json-)?rpc error(?: response)?: ',
    String.raw`server returned an error response: error code -?\d{1,9}: `,
    'evm: ',
    'already_exists: ',
    'internal[ _]error: ',
    'processing response error: ',
    'returned error: ',
    'error: ',
    'failed to submit transaction: ',
    String.raw`failed to validate the transaction\. reason: `,
    'validation revert: ',
  ].join('|')})+`,
  'i',
);

/** Removes the prefixes of relays and proxies, because rules match the beginning of a message. */
export function stripPreamble(text: string): string {
  return text.replace(PREAMBLE, '');
}
